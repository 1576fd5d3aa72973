"""`headwater alerts`: the list by incident, and what is done about an alert by the beginning of its id."""

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from headwater.cli.api import Answer
from headwater.cli.failure import CommandFailure
from headwater.cli.lookups.parser import parser
from headwater.cli.lookups.questions import reply_to
from headwater.lookup.text.alerts import causes_among, following, render
from headwater.lookup.text.display import Display

Document = dict[str, Any]
DONE = {"at": "2026-11-20T08:00:00Z", "by": "bea", "note": "on it"}


def alert(letter: str, minute: int, *causes: Document, node: str = "", **members: Any) -> Document:
    return {
        "id": letter * 32,
        "type": "Dataset Schema Changed",
        "time": f"2026-11-20T08:0{minute}:00Z",
        "severity": "critical",
        "nodeId": f"dataset:n:{node or letter}",
        "title": f"{letter}: x was removed",
        "details": {"causes": list(causes)},
        **members,
    }


def cause(letter: str, *, is_told: bool = True) -> Document:
    return {"nodeId": f"dataset:n:{letter}", "alertId": letter * 32 if is_told else None}


LISTED = [
    alert("d", 5),
    alert("c", 4, cause("b")),
    alert("e", 3, node="a"),
    alert("b", 2, cause("a", is_told=False)),
    alert("a", 1),
]


@dataclass
class FakeApi:
    sent: list[tuple[str, ...]] = field(default_factory=list)

    def ask(self, *parts: str, **query: Any) -> Answer:
        found: Document = {"alerts": LISTED}
        if len(parts) > 1:
            found = next(each for each in LISTED if each["id"] == parts[1])
        return Answer(json.dumps(found), found)

    def send(self, method: str, *parts: str, body: str = "") -> Answer:
        self.sent.append((method, parts[1][:1], parts[2], body))
        return Answer("{}", {})


def told(*words: str) -> FakeApi:
    api = FakeApi()
    reply_to(api, parser().parse_args(["alerts", *words]))  # type: ignore[arg-type]
    return api


def test_an_alert_is_below_its_cause_and_one_without_an_id_is_the_latest_before() -> None:
    assert causes_among(LISTED) == {"c" * 32: "b" * 32, "b" * 32: "a" * 32}
    assert following(LISTED, "a" * 32) == ["c" * 32, "b" * 32]
    text = render({"alerts": LISTED}, Display(80))
    assert [line.lstrip(" └─")[:8] for line in text.splitlines() if "removed" in line] == [
        *["CRITICAL"] * 3,
        *["follows:"] * 2,
    ]
    assert causes_among([alert("a", 1, cause("b")), alert("b", 1, cause("a"))]) == {"a" * 32: "b" * 32}


def test_the_list_says_who_did_what_and_why() -> None:
    silence = {"since": DONE["at"], "until": "2026-11-20T10:00:00Z", "by": "bea", "note": "moving"}
    text = render({"alerts": [alert("a", 1, acknowledged=DONE, silenced=silence)], "cursor": "x"}, Display(100))
    assert "1 alert, 1 acknowledged, 1 silenced and not sent; there are more" in text
    assert "acknowledged by bea at 2026-11-20 08:00Z: on it" in text
    assert "not sent: silenced by bea until 2026-11-20 10:00Z: moving" in text
    assert render({"alerts": []}, Display(100)) == "no alert\n"


def test_an_alert_is_acknowledged_alone_or_with_what_follows() -> None:
    assert told("--ack", "aaa", "--note", "on it").sent == [("PUT", "a", "acknowledgement", '{"note": "on it"}')]
    assert [letter for _, letter, *_ in told("--ack", "a", "--following", "--note", "on it").sent] == ["a", "c", "b"]
    assert told("--reopen", "b").sent == [("DELETE", "b", "acknowledgement", "")]


def test_a_silence_has_an_end_and_a_reason() -> None:
    body = '{"note": "moving", "until": "2h"}'
    assert told("--silence", "c", "--for", "2h", "--note", "moving").sent == [("PUT", "c", "silence", body)]
    assert told("--end-silence", "c").sent == [("DELETE", "c", "silence", "")]
    for words in (["--silence", "c", "--for", "2h"], ["--silence", "c", "--note", "x"], ["--ack", "zz"]):
        api = FakeApi()
        with pytest.raises(CommandFailure):
            reply_to(api, parser().parse_args(["alerts", *words]))  # type: ignore[arg-type]
        assert api.sent == []
    with pytest.raises(CommandFailure, match=r"^no alert has an id that begins with zz$"):
        reply_to(FakeApi(), parser().parse_args(["alerts", "--ack", "zz"]))  # type: ignore[arg-type]
