"""A job's versions: the sets of inputs and outputs of its runs and of its declaration."""

from typing import Any

import pytest

from headwater.lookup.nodes import job_versions
from tests import factory
from tests.factory import Document
from tests.lookup.requests import LookupClient, after, key_of, table_after

VERSIONS = "namespaces/demo/jobs/load/versions"


def ran(run: int, *inputs: str, outputs: tuple[str, ...] = ("out",), kind: str = "COMPLETE", **facets: Any) -> Document:
    used: dict[str, Any] = {
        "inputs": list(map(factory.dataset, inputs)),
        "outputs": list(map(factory.dataset, outputs)),
    }
    return factory.run_event(kind, run=run, seconds=facets.pop("seconds", 60 * run), job_facets=facets, **used)


def shown(version: Document) -> tuple[list[str], list[str], str | None]:
    names = [[dataset["name"] for dataset in version[side]] for side in ("inputs", "outputs")]
    return names[0], names[1], version["latestRun"] and version["latestRun"]["id"]


def test_there_is_a_version_for_each_set_of_datasets_with_its_newest_run() -> None:
    answer = after(ran(1, "a"), ran(2, "a"), ran(3, "a", "b"), ran(4, "b", "a"), ran(5, "a"))(VERSIONS)
    assert [shown(version) for version in answer["versions"]] == [
        (["a"], ["out"], factory.run_id(5)),
        (["a", "b"], ["out"], factory.run_id(4)),
    ]
    assert answer["totalCount"] == 2
    assert [version["createdAt"] for version in answer["versions"]] == [factory.at(60), factory.at(180)]


def test_a_run_its_job_and_the_list_name_a_version_alike() -> None:
    get = after(ran(1, "a"), ran(2, "b"))
    newest, oldest = get(VERSIONS)["versions"]
    assert get("namespaces/demo/jobs/load")["currentVersion"] == newest["version"] == newest["id"]["version"]
    assert newest["latestRun"]["jobVersion"]["version"] == newest["version"]
    assert [get(f"{VERSIONS}/{version['version'].upper()}") for version in (newest, oldest)] == [newest, oldest]


def test_a_job_without_datasets_has_the_version_of_its_newest_run_that_has_ended() -> None:
    assert after(ran(1, outputs=(), kind="START"))(VERSIONS)["versions"] == []
    get = after(ran(1, outputs=()), ran(2, outputs=()))
    (version,) = get(VERSIONS)["versions"]
    assert shown(version) == ([], [], factory.run_id(2))
    assert get(f"{VERSIONS}/{version['version']}") == version
    assert [shown(each) for each in after(ran(1, "a"), ran(2, outputs=()))(VERSIONS)["versions"]] == [
        (["a"], ["out"], factory.run_id(1))
    ]


def test_a_version_is_made_when_its_first_run_ends_or_until_then_when_it_starts() -> None:
    running = [ran(1, "a", kind="START", seconds=10), ran(1, "a", kind="RUNNING", seconds=20)]
    assert after(*running)(VERSIONS)["versions"][0]["createdAt"] == factory.at(10)
    assert after(*running, ran(1, "a", seconds=30))(VERSIONS)["versions"][0]["createdAt"] == factory.at(30)


def test_what_a_job_event_declares_is_a_version_also_without_a_run() -> None:
    declared = factory.job_event(inputs=[factory.dataset("a")], outputs=[factory.dataset("out")], seconds=10)
    (of_declaration,) = after(declared)(VERSIONS)["versions"]
    assert (shown(of_declaration), of_declaration["createdAt"]) == ((["a"], ["out"], None), factory.at(10))
    (of_run,) = after(declared, ran(1, "a"))(VERSIONS)["versions"]
    assert (shown(of_run), of_run["createdAt"]) == ((["a"], ["out"], factory.run_id(1)), factory.at(10))
    assert [shown(version)[0] for version in after(declared, ran(1, "b"))(VERSIONS)["versions"]] == [["b"], ["a"]]


def test_a_version_has_the_location_that_its_newest_run_gives_else_the_job_s() -> None:
    get = after(
        ran(1, "a", sourceCodeLocation=factory.facet(type="git", url="https://one.example/")),
        ran(2, "b", sourceCodeLocation=factory.facet(type="git", url="https://two.example/")),
        ran(3, "c"),
    )
    two, one = "https://two.example/", "https://one.example/"
    assert [version["location"] for version in get(VERSIONS)["versions"]] == [two, two, one]


@pytest.mark.parametrize("limit", [1, 2, 3, 7])
def test_pages_by_cursor_and_by_offset_hold_every_version_once(limit: int) -> None:
    get = after(*(ran(number, f"in {number % 7}") for number in range(20)))
    whole = get(VERSIONS)["versions"]
    assert len(whole) == 7
    assert get.by_cursor(VERSIONS, "versions", limit) == get.by_offset(VERSIONS, "versions", limit) == whole


def test_so_many_runs_are_looked_at_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    get = after(*(ran(number, f"in {number}") for number in range(6)))
    monkeypatch.setattr(job_versions, "MAX_RUNS", 4)
    answer = get(VERSIONS)
    assert [shown(version)[0] for version in answer["versions"]] == [["in 5"], ["in 4"], ["in 3"], ["in 2"]]
    assert (answer["totalCount"], answer["truncated"]) == (4, True)


def test_an_unknown_version_is_not_found_and_a_key_of_other_namespaces_is_refused() -> None:
    table = table_after(ran(1, "a"))
    assert LookupClient(table).answer(f"{VERSIONS}/{factory.run_id(9)}")[0] == 404
    assert LookupClient(table).answer("namespaces/demo/jobs/nope/versions")[0] == 404
    assert LookupClient(table, key_of("other")).answer(VERSIONS)[0] == 403
