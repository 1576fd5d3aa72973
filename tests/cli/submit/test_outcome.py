"""The last line names no number that was not seen."""

from collections import Counter

import pytest

from headwater.cli.submit.listener_log import ListenerLog
from headwater.cli.submit.outcome import Outcome
from headwater.cli.submit.submission import ArrivedEvents

NODE = "dataset:file:/lake/a b"
SEE = "see `headwater lineage 'dataset:file:/lake/a b'`"
ASK = "ask `headwater doctor --namespace shop`"
SEE_OTHERS = "see `headwater runs` with a key that may read"
UNREAD = ArrivedEvents(unknown="the key may not read")


def outcome(delivered: int, arrivals: ArrivedEvents, unsent: int = 0, **refused: int) -> Outcome:
    log = ListenerLog()
    log.delivered = delivered
    log.refused = Counter({name.removeprefix("status_"): count for name, count in refused.items()})
    log._tasks, log._was_full = unsent, unsent > 0
    return Outcome(log, arrivals, "headwater doctor --namespace shop")


@pytest.mark.parametrize(
    ("given", "line", "status"),
    [
        (outcome(6, ArrivedEvents(6, node=NODE)), f"events taken: 6; refused or lost: 0; {SEE}", 0),
        (outcome(5, ArrivedEvents(6, node=NODE)), f"events taken: 6; refused or lost: 0; {SEE}", 0),
        (
            outcome(6, ArrivedEvents(6, node="job:shop:a")),
            "events taken: 6; refused or lost: 0; see `headwater runs job:shop:a`",
            0,
        ),
        (outcome(0, ArrivedEvents(6, node=NODE)), f"events taken: 6 or more; refused or lost: 0; {SEE}", 0),
        (
            outcome(9, ArrivedEvents(8, is_cut=True, node=NODE)),
            f"events taken: 8 or more; refused or lost: 0; {SEE}",
            0,
        ),
        (
            outcome(6, ArrivedEvents(4, node=NODE)),
            "events taken: 4 in the graph so far, of 6 that the listener logged as delivered; refused or lost: 0; "
            + ASK,
            0,
        ),
        (outcome(0, ArrivedEvents()), f"events taken: 0; refused or lost: 0; {ASK}", 0),
        (outcome(0, ArrivedEvents(), status_401=6), f"events taken: 0; refused or lost: 6 (401: 6); {ASK}", 3),
        (
            outcome(1, ArrivedEvents(1, node=NODE), status_503=2, status_401=3),
            f"events taken: 1; refused or lost: 5 (401: 3, 503: 2); {ASK}",
            3,
        ),
        (
            outcome(1, ArrivedEvents(1, node=NODE), unsent=3),
            f"events taken: 1; refused or lost: 0 or more (unsent: up to 3); {ASK}",
            3,
        ),
        (
            outcome(6, UNREAD),
            "events taken: not known (the key may not read; the listener logged 6 as delivered); refused or lost: 0; "
            + SEE_OTHERS,
            0,
        ),
        (
            outcome(0, UNREAD, status_401=1),
            f"events taken: not known (the key may not read); refused or lost: 1 (401: 1); {ASK}",
            3,
        ),
    ],
)
def test_the_line_and_the_exit_status(given: Outcome, line: str, status: int) -> None:
    assert given.line() == line
    assert given.status() == status


def test_what_was_set_aside_has_a_line_of_its_own_and_changes_no_exit_status() -> None:
    paths = tuple(f"inputs.facets.{letter}" for letter in "abcdefg")
    told = outcome(6, ArrivedEvents(6, node=NODE, set_aside=paths))
    line = told.set_aside()
    assert line is not None
    assert "inputs.facets.a, " in line
    assert "inputs.facets.e and 2 more" in line
    assert told.status() == 0
    assert outcome(6, ArrivedEvents(6, node=NODE)).set_aside() is None
