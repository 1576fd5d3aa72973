"""What has changed in answers since a release: each change by its member, with the reason.

A golden answer (golden_answers.py) never changes. Before it is compared with the answer of this release, each change
since its release is applied: to the request, or to the two bodies. All that no change names is compared as it is.
"""

import json
import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from headwater.graph.names.identity import dataset_id
from headwater.openlineage import exact_json
from headwater.openlineage.event import Name

ALL_EVENTS = {"eventKinds": ("RunEvent", "JobEvent", "DatasetEvent")}


class Change(NamedTuple):
    """A change of a member in the answers of some paths.

    since    the last release without the change
    applies  whether the answers of a path may have the member
    settle   checks the member in an answer of that release and in one of today, and makes the two equal in it
    """

    since: str
    applies: Callable[[str], bool]
    settle: Callable[[Any, Any], None]


def added_parameters(release: str, path: str) -> Mapping[str, tuple[str, ...]]:
    """The parameters that a request of a release needs today for the answer of that release.

    0.1.0: `/events/lineage` listed events of all kinds. Today a request has to name the kinds, since an event without a
    run blanks the events page of Marquez's web UI.
    """
    return ALL_EVENTS if release == "0.1.0" and path == "events/lineage" else {}


def without_changes(release: str, path: str, old: str, new: str) -> tuple[str, str]:
    """The bodies of a release's answer and of today's, equal in the members that have changed since."""
    changes = [change for change in CHANGES if change.since >= release and change.applies(path)]
    if not changes or not old.startswith(("{", "[")):
        return _without_spaces(old.replace(*WRAPPER_IN_A_TEXT).replace(*ITS_EDGE)), _without_spaces(new)
    before, after = (json.loads(body, parse_float=str) for body in (old, new))
    for change in changes:
        change.settle(before, after)
    return json.dumps(before), json.dumps(after)


def _without_spaces(body: str) -> str:
    """A document as it is, without spaces between its members. Answers of 0.1.0 had them."""
    return exact_json.encode(exact_json.loads(body)).decode() if body.startswith(("{", "[")) else body


def _versions_of_generations(old: Any, new: Any) -> None:
    """Each run of a loop had a version of its own in the list of a job. The runs of one run of the parent have one
    together: its datasets are those of all of them."""
    assert new["totalCount"] <= old["totalCount"]
    known = {version["version"] for version in old["versions"]}
    for version in new["versions"]:
        of_runs = [run for run in old["versions"] if _datasets_of(run) < _datasets_of(version)]
        assert version["version"] in known or of_runs
    both = known & {version["version"] for version in new["versions"]}
    for body in (old, new):
        body["versions"] = [version for version in body["versions"] if version["version"] in both]
        body.pop("totalCount")


def _datasets_of(version: Any) -> set[str]:
    return {json.dumps([side, dataset]) for side in ("inputs", "outputs") for dataset in version[side]}


def _types_in_graphs(_old: Any, new: Any) -> None:
    """`datasetType` is new: since a dataset's `type` is DB_TABLE or STREAM alone, it has the producer's word."""
    for node in new.get("graph", []):
        if node["type"] == "DATASET":
            assert node["data"].pop("datasetType") is None


def _order_of_jobs(old: Any, new: Any) -> None:
    """Jobs were listed by their last event. They are listed by the START of their newest run: a job whose last event is
    another one is on another page, and a page after an old cursor may have one job more."""
    pages = [{json.dumps(job["id"]): job for job in body.get("jobs", [])} for body in (old, new)]
    assert abs(len(pages[0]) - len(pages[1])) <= 1
    for body, page in zip((old, new), pages, strict=True):
        body["jobs"] = [page[job] for job in sorted(pages[0].keys() & pages[1].keys())]
        body.pop("cursor", None)


def _owners_in_graphs(_old: Any, new: Any) -> None:
    """`owners` is new: a graph has no facets, and its nodes are grouped by owner."""
    for node in new.get("graph", []):
        assert all(isinstance(owner, str) for owner in node["data"].pop("owners"))


def _estimates_in_graphs(_old: Any, new: Any) -> None:
    """`estimatedReaders` and `estimatedWriters` are new, in graphs that are cut."""
    for node in new.get("graph", []):
        for member in {"estimatedReaders", "estimatedWriters"} & node["data"].keys():
            assert new["truncated"]
            assert node["data"].pop(member) > 0


def _versions_of_inputs(old: Any, new: Any) -> None:
    """The `version` of a run's input was that of the schema, or null. It is the run that wrote the dataset, as in
    `/runlineage`, and never null: Marquez's Java client fails on null. (tests/read/test_input_versions.py)"""
    inputs_of_runs = (members(body, "inputDatasetVersions") for body in (old, new))
    for old_inputs, new_inputs in zip(*inputs_of_runs, strict=True):
        for old_input, new_input in zip(old_inputs, new_inputs, strict=True):
            assert uuid.UUID(new_input["datasetVersionId"]["version"])
            old_input["datasetVersionId"]["version"] = new_input["datasetVersionId"]["version"] = None


def _versions_of_run_lineage(old: Any, _new: Any) -> None:
    """The `version` of an input that no known run wrote, and of which no schema is known, was null."""
    for inputs in members(old, "inputs"):
        for dataset in inputs:
            if dataset["version"] is None:
                dataset["version"] = str(uuid.UUID(dataset_id(Name(dataset["namespace"], dataset["name"]))))


def _latest_runs_in_lists(old: Any, new: Any) -> None:
    """`latestRuns` of a job in a list had the newest run alone. It has up to ten, as Marquez's web UI shows them."""
    for old_job, new_job in zip(old.get("jobs", []), new.get("jobs", []), strict=True):
        if old_job["latestRuns"]:
            assert len(new_job["latestRuns"]) <= 10
            new_job["latestRuns"] = new_job["latestRuns"][:1]


_NONE = dict.fromkeys(("columns", "datasets", "jobs", "possible", "by", "sentence"))


def _possible_impact(old: Any, new: Any) -> None:
    """`breaks` is new, the sum of all pages. `possible` is new: of a changed table what reads it is certain, of a
    changed column what column lineage tells.

    A path began at an aggregate of the column, `count(id)`, that no table has.
    """
    of_column = new.get("nodeId", "").startswith("datasetField:")
    items, before = ([item for page in members(body, "items") for item in page] for body in (new, old))
    assert [item.pop("possible") for item in items] == [of_column and item["by"] != "column" for item in items]
    assert {"columns", "datasets", "jobs", "possible", "by", "sentence"} == new.pop("breaks", _NONE).keys()
    assert new.pop("possibleCount", 0) >= sum(of_column and item["by"] != "column" for item in items)
    for item in before:
        item["path"][:1] = [old["nodeId"]]


def _unknown_origins(_old: Any, new: Any) -> None:
    """`unknown` is new: columns of which a job with inputs says nothing, which seemed to be constants."""
    assert all(origin["fields"] and origin["inputs"] for origin in new.pop("unknown", []))


def _frontiers(_old: Any, new: Any) -> None:
    """`frontier` is new: what the answer cannot see. A "no" was said without it."""
    frontier = new.pop("frontier", {"unseen": [], "sentence": ""})
    assert bool(frontier["sentence"]) == bool(frontier["unseen"])


def _children_after_a_cursor(old: Any, new: Any) -> None:
    """A page of children after a cursor had a run less than its limit, and was the last one."""
    if "cursor" in new and "cursor" not in old:
        del new["cursor"], new["runs"][len(old["runs"]) :]


def _job_of_run(_old: Any, new: Any) -> None:
    """A run said nothing of its job, and not where it ran."""
    assert new.pop("job").keys() == {"namespace", "name"}
    assert new.pop("environment", {}).keys() <= {"cluster", "release", "application", "user"}


def _details_of_errors(_old: Any, new: Any) -> None:
    """`details` of an error was the list of its faults. It is one string, as Marquez's clients read it."""
    if "code" in new:
        assert new.pop("details") == "; ".join(new["faults"])
        new["details"] = new.pop("faults")


def _labels_of_jobs(old: Any, new: Any) -> None:
    """`labels` of a job was empty. It has the words of the facet jobType, as Marquez's."""
    for before, now in zip(members(old, "labels"), members(new, "labels"), strict=True):
        assert (before, [isinstance(label, str) for label in now]) == ([], [True] * len(now))
        now.clear()


def _deleted_after_a_drop(old: Any, new: Any) -> None:
    """`deleted` stayed false when a job dropped the dataset."""
    for before, now in zip(old.get("datasets", [old]), new.get("datasets", [new]), strict=True):
        if now.get("lastLifecycleState") == "DROP":
            assert now["deleted"] >= before["deleted"]
            now["deleted"] = before["deleted"]


def _versions_of_read_datasets(old: Any, new: Any) -> None:
    """A dataset that is only read had no versions. They are the schemas with which it was read, made by no run."""
    if old == {"versions": [], "totalCount": 0} and new["totalCount"]:
        assert all(version["createdByRun"] is None and version["currentSchemaVersion"] for version in new["versions"])
        new.clear()
        new.update(old)


def _outcomes_of_runs(old: Any, new: Any) -> None:
    """`outcome` and `message` are new. A run that only its children named was RUNNING since the first of them began; it
    is NEW, with the outcome NOT_REPORTED. (tests/lookup/activity/test_top_runs.py)"""
    before = {run["id"]: run for run in _runs_in(old)}
    for run in _runs_in(new):
        run.pop("message", None)
        if run.pop("outcome") == "NOT_REPORTED" and (known := before.get(run["id"])):
            assert (known["state"], run["state"]) == ("RUNNING", "NEW")
            run.update({member: known[member] for member in ("state", "startedAt")})


def _runs_in(document: Any) -> Iterator[Any]:
    """The runs in a document, wherever they are."""
    if isinstance(document, dict):
        if "failedChildren" in document and "state" in document:
            yield document
        document = list(document.values())
    if isinstance(document, list):
        for element in document:
            yield from _runs_in(element)


WRAPPER_IN_A_TEXT = (
    '  n1["drift#46;execute_create_data_sour#8230;elect_command#46;default_managed\ndrift"]\n  n2[',
    "  n1[",
)
ITS_EDGE = "  n1 --> n0\n  n2 --> n0\n", "  n1 --> n0\n"
"""The wrapper in a drawing of Mermaid, which is no JSON."""


def _wrappers_in_graphs(old: Any, new: Any) -> None:
    """A statement that Spark runs as two queries was two jobs. It is the one that writes.
    (tests/traversal/test_wrappers.py)"""
    nodes = {node["id"] for node in old["graph"]} - {node["id"] for node in new["graph"]}
    gone = {node for node in nodes if "_table_as_select" in node}
    _drop(old, lambda entry: bool(gone & {entry.get(member) for member in ("id", "origin", "destination")}))


def _wrappers_elsewhere(old: Any, new: Any) -> None:
    """The same in an export as events, and among the jobs upstream that went well."""
    known = json.dumps(new)

    def is_gone(entry: Any) -> bool:
        name = entry["job"]["name"] if isinstance(entry.get("job"), dict) else entry.get("nodeId", "")
        return "_table_as_select" in name and name not in known

    _drop(old, is_gone)


def _drop(document: Any, is_gone: Callable[[Any], bool]) -> None:
    """Removes the entries of all lists in a document that are gone."""
    if isinstance(document, list):
        document[:] = [entry for entry in document if not (isinstance(entry, dict) and is_gone(entry))]
    for member in document.values() if isinstance(document, dict) else document:
        if isinstance(member, dict | list):
            _drop(member, is_gone)


def _states_of_a_time(old: Any, new: Any) -> None:
    """The graph of a time had the states that runs came to later. `caution` is new. (read/test_good_writes.py)"""
    before = {node["id"]: node["data"] for node in old["graph"]}
    for node in new["graph"]:
        assert node["data"].pop("caution", "no write").startswith("no write")
        run, known = node["data"].get("latestRun"), (before.get(node["id"]) or {}).get("latestRun")
        if run and known and run["state"] == "RUNNING":
            assert run["endedAt"] is None
            run.update({member: known[member] for member in ("state", "endedAt", "durationMs")})


def _last_writes(old: Any, new: Any) -> None:
    """`lastWrittenAt` is new, and `caution` in lists. In a graph, `updatedAt` of a dataset followed its jobs there,
    and is that of the dataset's own lookup; of a time, it was the time of a later event.
    (tests/lookup/test_last_write.py)"""
    for before, now in zip(_datasets_in(old), _datasets_in(new), strict=True):
        assert now.pop("lastWrittenAt", None) is None or "caution" not in now
        assert now.pop("caution", "no write").startswith("no write")
        if "graph" in new:
            before["updatedAt"] = now["updatedAt"]
        assert now.get("updatedAt", "") <= before.get("updatedAt", "")
    for node, known in zip(new.get("graph", []), old.get("graph", []), strict=True):
        for now, before in zip(_dated(node["data"]), _dated(known["data"]), strict=True):
            before["updatedAt"] = min(now["updatedAt"], before["updatedAt"])


def _datasets_in(answer: Any) -> list[Any]:
    if "graph" in answer:
        return [node["data"] for node in answer["graph"] if node["type"] == "DATASET"]
    return list(answer.get("datasets", [answer] if "physicalName" in answer else []))


def _dated(document: Any) -> list[Any]:
    return [each for each in (document, document.get("latestRun")) if each and "updatedAt" in each]


def _names_in_catalogues(_old: Any, new: Any) -> None:
    """`displayName` is new: the name of a table in Glue or a metastore. (tests/lookup/search/test_one_name.py)"""
    for found in (*_datasets_in(new), *new.get("results", [])):
        assert isinstance(found.pop("displayName", ""), str)


def _names_beside_node_ids(_old: Any, new: Any) -> None:
    """`displayNames` is new, of a job, too, and findings call a table so. (tests/lookup/search/test_one_name.py)"""
    called = new.pop("displayNames", {})
    for finding in new.get("findings", []):
        if name := called.get(finding["nodeId"]):
            finding["summary"] = finding["nodeId"].rpartition(":")[2] + finding["summary"].removeprefix(name)


def _one_hit_of_several_names(old: Any, new: Any) -> None:
    """A dataset of several names was a hit for each, and now has the `otherNames`. The pages of a search begin
    elsewhere. (tests/lookup/search/test_names_of_tables.py)"""
    assert new["totalCount"] <= old["totalCount"]
    both = {hit["nodeId"] for hit in old["results"]} & {hit["nodeId"] for hit in new["results"]}
    assert len(old["results"]) - len(both) <= 1
    for body in (old, new):
        body["results"] = [hit for hit in body["results"] if hit["nodeId"] in both]
        body.pop("totalCount")
        body.pop("cursor", None)
    for hit in new["results"]:
        assert isinstance(hit.pop("otherNames", []), list)


def _one_version_of_a_statement(old: Any, new: Any) -> None:
    """A statement of two queries in Spark was two versions. It is the one that writes: pages begin elsewhere."""
    both = {version["version"] for version in old["versions"]} & {version["version"] for version in new["versions"]}
    gone = [version for version in old["versions"] if version["version"] not in both]
    assert len([version for version in gone if "_table_as_select" not in json.dumps(version)]) <= 1
    for body in (old, new):
        body["versions"] = [version for version in body["versions"] if version["version"] in both]
        body.pop("totalCount")
        body.pop("cursor", None)


def _assertions_as_in_alerts(old: Any, new: Any) -> None:
    """Failed assertions have the words of their alert: "1 assertion failed", not "1 of 4 assertions failed"."""
    for before in old.get("findings", []):
        if before["kind"] == "ASSERTION_FAILED":
            (same,) = [found for found in new["findings"] if found | {"summary": ""} == before | {"summary": ""}]
            assert same["summary"].partition(" failed: ")[2].startswith(before["summary"].partition(" failed: ")[2])
            before["summary"] = same["summary"]


def _times_of_changes(old: Any, new: Any) -> None:
    """A change of a schema dates from the first event with the schema, not from the START of its run."""
    for before in old.get("findings", []):
        of_run = [found for found in new["findings"] if found.get("runId") == before.get("runId")]
        for after in of_run if before["kind"] == "SCHEMA_CHANGED" else []:
            if after["kind"] == "SCHEMA_CHANGED" and after["nodeId"] == before["nodeId"]:
                assert after["at"] >= before["at"]
                before["at"] = after["at"]


def _dropped_tables(old: Any, new: Any) -> None:
    """A table that was dropped had lost each of its columns, and one that was made again had got each. As in alerts,
    the dataset was dropped, and the new columns are compared with those before the drop."""
    before, after = map(_schema_changes, (old, new))
    nothing = {"added": [], "removed": [], "retyped": [], "summary": ""}
    changed = [(was, after.get(key, nothing)) for key, was in before.items() if was != after.get(key)]
    for was, now in changed:
        if "the dataset was dropped, by " in now["summary"]:
            assert (was["added"], was["retyped"], bool(was["removed"])) == ([], [], True)
        else:
            assert (was["removed"], was["retyped"]) == (now["removed"], now["retyped"]) == ([], [])
            assert set(was["added"]) > set(now["added"])
    for body in (old, new) if changed else ():
        body["findings"] = [found for found in body["findings"] if found["kind"] != "SCHEMA_CHANGED"]
        body.pop("earlier", None)


def _schema_changes(body: Any) -> dict[tuple[str, str], Any]:
    findings = [*body.get("findings", ()), *(body.get("earlier") or {}).get("changes", ())]
    changed = [found for found in findings if found["kind"] == "SCHEMA_CHANGED"]
    return {(found["nodeId"], found.get("runId", "")): found for found in changed}


def _changes_that_stand(old: Any, new: Any) -> None:
    """`amount`, `earlier`, `affected` and `lastGood.confirmed` are new. A change of a schema was no finding any more
    after the next run that completed. (tests/traversal/test_root_cause_that_stays.py)"""
    if "findings" not in new:
        return
    new.pop("earlier", None)
    for member in ("amount", "affected"):
        new.pop(member)
    assert (new["lastGood"] or {"confirmed": False}).pop("confirmed") is False
    more = [finding for finding in new["findings"] if finding not in old["findings"]]
    assert all(finding["kind"] in ("SCHEMA_CHANGED", "CODE_CHANGED") for finding in more)
    new["findings"] = [finding for finding in new["findings"] if finding not in more]


def _one_namespace_of_a_bucket(old: Any, new: Any) -> None:
    """A bucket was a namespace for each scheme of its clients. `s3a://lake` is listed as `s3://lake`, with its
    datasets: the pages of a list begin elsewhere."""
    for body in (old, new):
        _rename(body)
    for member in {"namespaces", "datasets"} & old.keys():
        pages: list[dict[str, Any]] = [{}, {}]
        for body, page in zip((old, new), pages, strict=True):
            for document in body[member]:
                page.setdefault(json.dumps(document.get("id", document["name"])), document)
            body.pop("totalCount")
            body.pop("cursor", None)
        for body, page in zip((old, new), pages, strict=True):
            body[member] = [page[name] for name in sorted(pages[0].keys() & pages[1].keys())]


def _rename(document: Any) -> None:
    """Gives each name in a document the scheme of its store."""
    members = document.items() if isinstance(document, dict) else enumerate(document)
    for name, member in list(members):
        if isinstance(member, str):
            document[name] = member.replace("s3a://lake", "s3://lake")
        elif isinstance(member, dict | list):
            _rename(member)


def _lists_buckets(path: str) -> bool:
    return path in {"namespaces", "column-lineage", "namespaces/s3a://lake"} or (
        path.startswith(("namespaces/s3://lake/", "namespaces/s3a://lake/")) and path.endswith("/datasets")
    )


def _columns_read_over_jdbc(old: Any, new: Any) -> None:
    """`shop.public.rates` is read by Spark from Postgres alone. Its columns are those that Spark named, which need not
    be all: they are a partial schema, and no version."""
    for member in {"hits", "datasets"} & old.keys():
        for before, after in zip(old[member], new[member], strict=True):
            if before["name"] == "shop.public.rates" and after["facets"]["schema"].pop("headwater_partial", False):
                assert before["facets"]["schema"]["fields"] == after["facets"]["schema"].pop("fields")
                assert after.get("currentVersion") is None
                after |= {name: before[name] for name in {"facets", "currentVersion"} & before.keys()}


def _lists_a_table_of_postgres(path: str) -> bool:
    return path.endswith("/search/datasets") or path == "namespaces/postgres://db.example.com:5432/datasets"


def _kinds_of_new_types(_old: Any, new: Any) -> None:
    """A finding says of a column with another type what an alert says, too: `(incompatible)`."""
    for finding in new.get("findings", []):
        for column in finding.get("retyped", ()):
            kind = f" ({column.pop('change')})"
            assert kind in finding["summary"]
            finding["summary"] = finding["summary"].replace(kind, "")


def members(document: Any, name: str) -> Iterator[Any]:
    """The values of a member, wherever it is in a document."""
    if isinstance(document, dict):
        if name in document:
            yield document[name]
        document = list(document.values())
    if isinstance(document, list):
        for element in document:
            yield from members(element, name)


def _is_list_of_jobs(path: str) -> bool:
    return path == "jobs" or (path.startswith("namespaces/") and path.endswith("/jobs"))


def _has_runs(path: str) -> bool:
    return any(part in path for part in ("jobs", "rootcause", "versions"))


def _is_of_datasets(path: str) -> bool:
    return path.startswith("namespaces/") and "/datasets" in path


def _is_list_of_versions(path: str) -> bool:
    return "/datasets/" in path and path.endswith("/versions")


CHANGES = [
    Change("0.1.0", _is_list_of_versions, _one_version_of_a_statement),
    Change("0.1.0", lambda path: _has_runs(path) or path in {"lineage", "export"}, _outcomes_of_runs),
    Change("0.1.0", lambda path: "/jobs/" in path and path.endswith("/versions"), _versions_of_generations),
    Change("0.1.0", lambda path: path != "export", _details_of_errors),
    Change("0.1.0", lambda path: path == "lineage", _types_in_graphs),
    Change("0.1.0", _is_list_of_versions, _versions_of_read_datasets),
    Change("0.1.0", _is_list_of_jobs, _order_of_jobs),
    Change("0.1.0", lambda path: path == "lineage", _owners_in_graphs),
    Change("0.1.0", lambda path: path == "lineage", _estimates_in_graphs),
    Change("0.1.0", _is_list_of_jobs, _latest_runs_in_lists),
    Change("0.1.0", lambda path: "jobs" in path, _labels_of_jobs),
    Change("0.1.0", lambda path: path.endswith("/children"), _children_after_a_cursor),
    Change("0.1.0", lambda path: path.startswith("jobs/runs/") and path.count("/") == 2, _job_of_run),
    Change("0.1.0", lambda path: path == "impact", _possible_impact),
    Change("0.1.0", lambda path: path == "column-lineage", _unknown_origins),
    Change("0.1.0", lambda path: path in {"impact", "column-lineage", "rootcause", "insights"}, _frontiers),
    Change("0.1.0", _has_runs, _versions_of_inputs),
    Change("0.1.0", lambda path: path == "runlineage/upstream", _versions_of_run_lineage),
    Change("0.1.0", _lists_buckets, _one_namespace_of_a_bucket),
    Change("0.1.0", _lists_a_table_of_postgres, _columns_read_over_jdbc),
    Change("0.1.0", lambda path: path == "lineage", _wrappers_in_graphs),
    Change("0.1.0", lambda path: path == "lineage", _states_of_a_time),
    Change("0.1.0", lambda path: path in ("export", "rootcause"), _wrappers_elsewhere),
    Change("0.1.0", lambda path: path.startswith("namespaces/"), _deleted_after_a_drop),
    Change("0.1.0", lambda path: path == "lineage" or _is_of_datasets(path), _last_writes),
    Change("0.1.0", lambda path: path in ("lineage", "search") or _is_of_datasets(path), _names_in_catalogues),
    Change("0.1.0", lambda path: path in {"impact", "column-lineage", "rootcause"}, _names_beside_node_ids),
    Change("0.1.0", lambda path: path.startswith("namespaces/") and "/jobs/" in path, _names_beside_node_ids),
    Change("0.1.0", lambda path: path == "search", _one_hit_of_several_names),
    Change("0.1.0", lambda path: path == "rootcause", _kinds_of_new_types),
    Change("0.1.0", lambda path: path == "rootcause", _assertions_as_in_alerts),
    Change("0.1.0", lambda path: path == "rootcause", _times_of_changes),
    Change("0.2.0", lambda path: path == "rootcause", _dropped_tables),
    Change("0.1.0", lambda path: path == "rootcause", _changes_that_stand),
]
