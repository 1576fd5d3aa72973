"""`headwater replay`: the alerts that recorded events would have raised, and when."""

import json
from pathlib import Path

import pytest

from headwater.cli.replay import main
from tests import factory

HOURS = 100


def archived(folder: Path, *missing: int, late: int = HOURS, minutes: int = 0) -> Path:
    """A job that ran each hour, but for some, and wrote a thousand rows, but for the last time. One run may be late."""
    statistics = [factory.facet(rowCount=1_000 if hour < HOURS - 1 else 0, size=1) for hour in range(HOURS)]
    sent = [
        factory.run_event(
            kind,
            seconds=3_600 * hour + after + (60 * minutes if hour == late else 0),
            run=hour + 1,
            outputs=[{**factory.dataset("orders"), "outputFacets": {"outputStatistics": statistics[hour]}}],
        )
        for hour in range(HOURS)
        if hour not in missing
        for kind, after in (("START", 0), ("COMPLETE", 60))
    ]
    file = folder / "events.jsonl"
    file.write_text("\n".join(map(json.dumps, [*sent[::-1], {"no": "event"}])))
    return file


def test_it_lists_alerts_at_the_times_of_the_sweeps(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(archived(tmp_path, 30))]) == 0
    shown, said = capsys.readouterr()
    assert [line[:40] for line in shown.splitlines()] == [
        "2026-11-21T14:45Z  warning   Run Missing",
        "2026-11-24T11:01Z  critical  Volume Anom",
    ]
    assert said.splitlines()[-1] == "198 events, 1 not read; 1 Run Missing, 1 Volume Anomaly"


def test_an_event_with_a_nameless_dataset_is_read_as_a_server_takes_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nameless = {"namespace": "", "name": "sink"}
    event = factory.run_event("COMPLETE", inputs=[factory.dataset("orders")], outputs=[nameless])
    (tmp_path / "events.jsonl").write_text(json.dumps(event))
    assert main([str(tmp_path)]) == 0
    assert capsys.readouterr().err.splitlines()[-1] == "1 events, 0 not read; no alert"


def test_it_learns_from_events_whose_alerts_it_does_not_list(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(archived(tmp_path, 30)), "--since", "2026-11-22", "--json"]) == 0
    (alert,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert (alert["alert"], alert["name"], alert["amount"]) == ("Volume Anomaly", "orders", 0)


def test_it_says_whether_a_missing_run_came_after_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = archived(tmp_path, 30, late=90, minutes=50)
    assert main([str(file)]) == 0
    shown, said = capsys.readouterr()
    missing = [line.rpartition("; ")[2] for line in shown.splitlines() if "Run Missing" in line]
    assert missing == ["it never came", "it came 5 min after this"]
    assert "; 1 of 2 missing runs came after all, half of them within 5 minutes of the alert" in said
    assert main([str(file), "--json"]) == 0
    alerts = [alert for line in capsys.readouterr().out.splitlines() if "dueAt" in (alert := json.loads(line))]
    assert [alert["cameAt"] for alert in alerts] == [None, "2026-11-24T02:50:00Z"]


def test_rules_say_what_else_is_expected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a job that stops: nobody said by when its table is needed, or how old it may be, until the rules do."""
    file, rules = archived(tmp_path), tmp_path / "headwater.yml"
    rules.write_text("expectations:\n  - {dataset: orders, namespace: s3://lake, max_age: 5h}\n")
    until = ["--until", "2026-11-25T12:00", "--since", "2026-11-24T13:00", "--json"]

    def kinds(*more: str) -> list[str]:
        assert main([str(file), *until, *more]) == 0
        return [json.loads(line)["alert"] for line in capsys.readouterr().out.splitlines()]

    assert "Dataset Stale" not in kinds()
    assert kinds("--settings", str(rules)).count("Dataset Stale") == 1
    rules.write_text("expectations:\n  - {dataset: orders, max_aeg: 5h}\n")
    assert main([str(file), "--settings", str(rules)]) == 1
    assert "max_aeg" in capsys.readouterr().err


def test_a_file_that_is_not_there_is_a_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "none")]) == 1
    assert "failed:" in capsys.readouterr().err
