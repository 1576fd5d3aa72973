"""headwater.yml is put as a whole, or not at all; each fault is named by its field."""

import pytest

from headwater.access.principal import Principal, Scope
from headwater.curate.settings import MAX_BYTES, document_of
from headwater.fold.fold import fold
from headwater.graph.expectations.said import Said
from headwater.graph.names.identity import NodeKind
from headwater.openlineage.faults import InvalidRequest
from tests.curate.conftest import Api

TEXT = """
expectations:            # what finance asked for
  - dataset: revenue_daily
    namespace: s3://lake
    due: 17:00 Europe/Berlin
    days: weekdays
    rows: 20%
    never_empty: true
  - job: load_*
    namespace: airflow
    max_age: 90m
    calendar: germany
holidays:
  germany: [2026-12-25]
groups:
  analysts: {role: reader, namespaces: ["s3://shared-*"]}
"""


def test_what_was_put_is_read_back_with_its_comments(api: Api) -> None:
    assert api.get("settings").body == {"text": "", "settings": {}, "updatedAt": None, "updatedBy": None}
    put = api.put("settings", TEXT)
    assert put.status == 200
    got = api.get("settings").body
    assert got == put.body
    assert (got["text"], got["settings"]["expectations"][0]["due"]) == (TEXT, "17:00 Europe/Berlin")
    assert got["settings"]["groups"] == {"analysts": {"role": "reader", "namespaces": ["s3://shared-*"]}}
    assert got["updatedBy"] == "everybody"
    assert Said.of((api.store.settings() or {})["document"]).entries, "release 0.2.0, which knows no groups, reads this"


def test_the_newest_settings_stand_also_after_a_rebuild(api: Api) -> None:
    api.put("settings", TEXT)
    api.put("settings", "expectations: []")
    again = Api()
    for event in reversed(api.queued_events()):
        fold([event], again.store)
    assert again.get("settings").body == api.get("settings").body
    assert again.get("settings").body["text"] == "expectations: []"


def test_settings_are_for_administrators_of_all_namespaces(api: Api) -> None:
    for caller in (
        Principal("team", frozenset({Scope.ADMIN}), ("team-*",)),
        Principal("reader", frozenset({Scope.READ}), ("*",)),
        Principal("writer", frozenset({Scope.INGEST, Scope.CURATE}), ("*",)),
    ):
        api.caller = caller
        assert api.put("settings", TEXT).status == 403
        assert api.get("settings").status == 403


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("nonsense: 1", "nonsense"),
        ("[]", "body"),
        ("expectations: 3", "expectations"),
        ("expectations: [{dataset: a, namespace: n, due: 7}]", "expectations[0].due"),
        ("expectations: [{dataset: a, namespace: n, due: '25:00'}]", "expectations[0].due"),
        ("expectations: [{dataset: a, namespace: n, due: 07:00 Europe/Berln}]", "expectations[0].due"),
        ("expectations: [{dataset: a, namespace: n, due: 07:00 ../../etc}]", "expectations[0].due"),
        ("expectations: [{dataset: a, namespace: n, due: 07:00, days: fridays and}]", "expectations[0].days"),
        ("expectations: [{dataset: a, namespace: n, days: weekdays}]", "expectations[0].days"),
        ("expectations: [{dataset: a, namespace: n, max_age: 2 weeks}]", "expectations[0].max_age"),
        ("expectations: [{dataset: a, namespace: n, max_age: 0h}]", "expectations[0].max_age"),
        ("expectations: [{dataset: a, namespace: n, rows: twenty}]", "expectations[0].rows"),
        ("expectations: [{dataset: a, namespace: n, never_empty: perhaps}]", "expectations[0].never_empty"),
        ("expectations: [{dataset: a, namespace: n, freshness: 2h}]", "expectations[0].freshness"),
        ("expectations: [{dataset: a, namespace: n}]", "expectations[0]"),
        ("expectations: [{dataset: a, job: a, namespace: n, max_age: 2h}]", "expectations[0]"),
        ("expectations: [{dataset: a, max_age: 2h}]", "expectations[0].namespace"),
        ("expectations: [{dataset: [a], namespace: n, max_age: 2h}]", "expectations[0].dataset"),
        ("expectations: [{dataset: a, namespace: n, calendar: moon}]", "expectations[0].calendar"),
        ("holidays: [2026-13-01]", "holidays[0]"),
        ("holidays: {germany: 2026-12-25}", "holidays.germany"),
        ("expectations: []\nexpectations: []", "line 1"),
        ("a: &a [1]\nb: *a", "line 2"),
        ("a: [", "line 1"),
        ("[" * 1_000, "line 1"),
        ("groups: [analysts]", "groups"),
        ("groups: {analysts: {role: king, namespaces: []}}", "groups.analysts"),
        ('{"half \\udaac": []}', "(member name)"),
        ('{"whole \\ud83d\\ude00": []}', "whole \U0001f600"),
    ],
)
def test_a_fault_is_named_by_its_field_and_nothing_is_stored(api: Api, text: str, path: str) -> None:
    refused = api.put("settings", text)
    assert refused.status == 400
    assert path in [fault.partition(": ")[0] for fault in refused.body["faults"]]
    assert api.get("settings").body["text"] == ""


def test_a_document_is_bounded(api: Api) -> None:
    assert api.put("settings", f"# {'x' * MAX_BYTES}").status == 413


def test_yaml_and_json_say_the_same() -> None:
    as_json = '{"expectations": [{"dataset": "a", "namespace": "n", "due": "17:00", "never_empty": true}]}'
    as_yaml = "expectations: [{dataset: a, namespace: n, due: 17:00, never_empty: true}]"
    assert Said.of(document_of(as_json)) == Said.of(document_of(as_yaml))


def test_a_pattern_fits_names_and_a_name_itself_alone() -> None:
    said = Said.of(document_of("expectations: [{dataset: mart.*, namespace: n, max_age: 2h}]"))
    fits = [
        name for name in ("mart.a", "mart.", "mart", "martxa", "a.mart.b") if said.of_node(NodeKind.DATASET, "n", name)
    ]
    assert fits == ["mart.a", "mart."]
    assert not said.of_node(NodeKind.JOB, "n", "mart.a")
    assert not said.of_node(NodeKind.DATASET, "m", "mart.a")


def test_many_faults_are_listed_up_to_a_hundred() -> None:
    entries = ", ".join("{dataset: a}" for _ in range(500))
    with pytest.raises(InvalidRequest) as refused:
        document_of(f"expectations: [{entries}]")
    assert len(refused.value.faults) == 100
