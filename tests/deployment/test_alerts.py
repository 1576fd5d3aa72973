"""The mapping from the table's stream to alerts: its filter, its retries and its dead letters."""

import json
from typing import Any

import pytest

from headwater.alerts.announce import BY_KIND
from tests.deployment.conftest import Resources


def test_the_function_follows_the_stream_of_the_table_from_its_beginning(resources: Resources) -> None:
    mapping = resources["AlertsStreamMapping"]
    assert mapping["EventSourceArn"] == {"Fn::GetAtt": ["LineageTable", "StreamArn"]}
    assert mapping["FunctionName"] == {"Ref": "AlertsFunction"}
    assert mapping["StartingPosition"] == "TRIM_HORIZON"
    assert resources["LineageTable"]["StreamSpecification"] == {"StreamViewType": "NEW_AND_OLD_IMAGES"}


def test_a_record_that_fails_is_retried_for_half_a_day_and_then_goes_to_the_dead_letters(resources: Resources) -> None:
    mapping = resources["AlertsStreamMapping"]
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert mapping["BisectBatchOnFunctionError"] is True
    assert mapping["MaximumRecordAgeInSeconds"] == 12 * 60 * 60
    assert mapping["DestinationConfig"]["OnFailure"]["Destination"] == {"Fn::GetAtt": ["StreamDeadLetters", "Arn"]}


def test_only_items_that_may_raise_an_alert_reach_the_function(resources: Resources) -> None:
    filters = resources["AlertsStreamMapping"]["FilterCriteria"]["Filters"]
    kinds = [kind for stream_filter in filters for kind in _image(stream_filter)["kind"]["S"]]
    assert sorted(kinds) == sorted(BY_KIND)


@pytest.mark.parametrize(("state", "reaches"), [("FAILED", True), ("COMPLETED", False), ("RUNNING", False)])
def test_of_runs_only_those_that_failed_reach_it(resources: Resources, state: str, reaches: bool) -> None:
    (of_runs,) = [
        _image(stream_filter)
        for stream_filter in resources["AlertsStreamMapping"]["FilterCriteria"]["Filters"]
        if _image(stream_filter)["kind"]["S"] == ["run"]
    ]
    assert (state in of_runs["state"]["S"]) == reaches


def test_a_schedule_invokes_the_sweep_for_abandoned_runs(resources: Resources) -> None:
    schedule = resources["SweepSchedule"]
    assert schedule["ScheduleExpression"] == "rate(15 minutes)"
    assert [target["Arn"] for target in schedule["Targets"]] == [{"Fn::GetAtt": ["SweepFunction", "Arn"]}]
    assert resources["SweepPermission"]["SourceArn"] == {"Fn::GetAtt": ["SweepSchedule", "Arn"]}
    assert resources["SweepPermission"]["Principal"] == "events.amazonaws.com"


def _image(stream_filter: dict[str, Any]) -> dict[str, Any]:
    image: dict[str, Any] = json.loads(stream_filter["Pattern"])["dynamodb"]["NewImage"]
    return image
