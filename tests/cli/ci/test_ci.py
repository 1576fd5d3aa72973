"""`headwater ci`: planted changes of code, and what is found of each."""

import contextlib
import io
import json
import random
import re
import shlex
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from headwater.cli.ci.__main__ import main, parser
from headwater.cli.testing.folded import snapshot_of
from headwater.fold.fold import fold
from headwater.openlineage import exact_json
from headwater.store.graph_store import GraphStore
from headwater.store.sqlite.home import SqliteHome
from tests import factory
from tests.cli.ci.planted import (
    CHANGES,
    LAKE,
    RECORDED,
    RECORDED_UNCHANGED,
    RECORDINGS,
    Change,
    Job,
    base,
    events,
    node,
    production,
    unchanged,
)
from tests.cli.lookups.server import KEY, api_over
from tests.factory import Document
from tests.lookup.requests import RETENTION, table_after

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "examples" / "lineage_tests"
SCHEMA = json.loads((ROOT / "docs" / "ci.schema.json").read_text(encoding="utf-8"))
BOARD = {"unique_id": "exposure.shop.board", "name": "board", "type": "dashboard", "url": "https://bi.example.com/1"}
FACETS = {
    "export": {"ownership": factory.facet(owners=[{"name": "ops"}])},
    "report": {
        "ownership": factory.facet(owners=[{"name": "finance"}]),
        "dbt_exposures": factory.facet(exposures=[BOARD]),
    },
}
RULES = f"""
policy:
  keep_columns: true
  keep_lineage: true
  sources: ["{LAKE}"]
  never:
    - {{namespace: "*", dataset: "*", column: "*", of: {{namespace: "{LAKE}", dataset: raw, column: email}}}}
"""


class Answer(NamedTuple):
    status: int
    output: str
    errors: str

    @property
    def document(self) -> Any:
        """The JSON, which has the form of docs/ci.schema.json."""
        document = json.loads(self.output)
        assert [error.message for error in Draft202012Validator(SCHEMA).iter_errors(document)] == []
        return document


def ci(*words: str | Path) -> Answer:
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        status = main(list(map(str, words)))
    return Answer(status, output.getvalue(), errors.getvalue())


def written(path: Path, documents: Iterable[Document]) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    (path / "events.jsonl").write_text("".join(exact_json.dumps(each) + "\n" for each in documents), encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """No sentence is broken into lines."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of production: the pipeline, two readers with owners, and a dashboard on one of them."""
    path = tmp_path_factory.mktemp("production") / "lineage.db"
    documents = events(production(), facets=FACETS)
    documents += [
        {**event, "eventTime": factory.at(86_400 * day), "run": {"runId": factory.run_id(1000 + day)}}
        for event in events(production())
        if event["job"]["name"] == "report" and event["eventType"] == "COMPLETE"
        for day in range(1, 5)
    ]
    fill(path, documents)
    return path


def fill(path: Path, documents: Iterable[Document]) -> None:
    with contextlib.closing(SqliteHome(path)) as home:
        fold(factory.received(*documents), GraphStore(home.table, RETENTION))


@pytest.fixture
def before(tmp_path: Path) -> Path:
    return written(tmp_path / "before", events(base()))


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "rules.yml"
    path.write_text(RULES, encoding="utf-8")
    return path


def readers(consequence: Mapping[str, Any]) -> set[str]:
    """What certainly reads it, without jobs; of a table by table lineage, which tells of dashboards for certain."""
    return {item["nodeId"] for item in consequence["certain"] if item["type"] not in ("JOB", "EXPOSURE")}


def gone(document: Any) -> set[str]:
    return {each["nodeId"] for each in document["consequences"]}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_and_its_consequence_are_found_and_nothing_else(
    change: Change, before: Path, tmp_path: Path, served: Path, rules: Path
) -> None:
    assert_found(change, before, written(tmp_path / "after", events(change.pipeline)), served, rules)


def assert_found(change: Change, before: Path, after: Path, served: Path, rules: Path) -> None:
    words = (before, after, "--data", served, "--settings", rules)
    answer = ci(*words, "--format", "json")
    found = answer.document
    assert found["differs"]
    assert gone(found) == set(map(node, change.gone))
    certain = {each["nodeId"]: readers(each) for each in found["consequences"] if each["certain"]}
    assert certain == {node(lost): set(map(node, by)) for lost, by in change.breaks.items()}
    assert {(each["rule"], each["nodeId"]) for each in found["broken"]} == {
        (rule, node(of)) for rule, of in change.rules
    }
    assert answer.status == (1 if change.rules else 0)
    text = ci(*words).output
    assert [line for line in change.told if line not in text] == []


@pytest.fixture
def recorded_rules(rules: Path) -> Path:
    rules.write_text(f'names:\n  - {{from: "file:/srv/lake", to: "{LAKE}"}}\n{RULES}', encoding="utf-8")
    return rules


@pytest.mark.parametrize("spark", ["spark-3.5", "spark-4"])
@pytest.mark.parametrize("name", RECORDED)
def test_a_change_that_spark_ran_and_its_consequence_are_found_and_nothing_else(
    name: str, spark: str, served: Path, recorded_rules: Path
) -> None:
    one, other = (RECORDINGS / spark / f"{side}.jsonl.gz" for side in ("base", name))
    assert_found(RECORDED[name], one, other, served, recorded_rules)


@pytest.mark.parametrize("spark", ["spark-3.5", "spark-4"])
@pytest.mark.parametrize("name", RECORDED_UNCHANGED)
def test_a_refactoring_that_spark_plans_otherwise_is_no_difference(
    name: str, spark: str, served: Path, recorded_rules: Path
) -> None:
    one, other = (RECORDINGS / spark / f"{side}.jsonl.gz" for side in ("base", name))
    assert_nothing(ci(one, other, "--data", served, "--settings", recorded_rules, "--format", "json"))


def test_spark_4_makes_no_difference(served: Path, recorded_rules: Path) -> None:
    one, other = (RECORDINGS / spark / "base.jsonl.gz" for spark in ("spark-3.5", "spark-4"))
    assert_nothing(ci(one, other, "--data", served, "--settings", recorded_rules, "--format", "json"))


def snapshot(path: Path, documents: Iterable[Document]) -> Path:
    """A folder with the snapshot of a test that sent these events."""
    path.mkdir(parents=True, exist_ok=True)
    (path / "test_shop.yaml").write_text(snapshot_of(factory.received(*documents)).to_yaml(), encoding="utf-8")
    return path


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_snapshots_tell_the_same_but_of_jobs(change: Change, tmp_path: Path, served: Path, rules: Path) -> None:
    one, other = snapshot(tmp_path / "one", events(base())), snapshot(tmp_path / "other", events(change.pipeline))
    told = [line for line in change.told if "reads" not in line and "job" not in line]
    assert_found(replace(change, told=[*told, "Not compared: jobs"]), one, other, served, rules)
    of_events = written(tmp_path / "after", events(change.pipeline))
    assert_nothing(ci(of_events, other, "--data", served, "--format", "json"))


def test_a_folder_of_snapshots_is_what_its_tests_tell_together(tmp_path: Path, before: Path, served: Path) -> None:
    for number, part in enumerate([events({name: job}) for name, job in base().items()]):
        snapshot(tmp_path / "parts" / f"test_{number}", part)
    assert_nothing(ci(tmp_path / "parts", before, "--data", served, "--format", "json"))
    assert "nothing differs" in ci(tmp_path / "parts", tmp_path / "parts").output


def test_no_type_is_known_where_tests_make_tables_of_one_name(tmp_path: Path, before: Path) -> None:
    """Two tests that write `TMP/daily` with other types are two tables: neither is the type of production's."""
    for name in ("a job less", "another type", "a union"):
        snapshot(tmp_path / "parts" / name, events(CHANGES[name].pipeline))
    found = ci(before, tmp_path / "parts", "--format", "json").document
    assert found["consequences"] == []
    assert {node["nodeId"] for node in found["nodes"]["changed"]} == set()


def test_a_table_that_another_test_makes_itself_hides_no_column_that_a_job_drops(tmp_path: Path, served: Path) -> None:
    """The test of `daily` makes its own `clean`, with the columns that it had."""
    narrow = {name: kind for name, kind in base()["clean"].types.items() if name != "status"}
    for side, types in (("one", base()["clean"].types), ("other", narrow)):
        made = {name: sources for name, sources in base()["clean"].made.items() if name in types}
        snapshot(tmp_path / side / "clean", events({"clean": replace(base()["clean"], types=types, made=made)}))
        snapshot(tmp_path / side / "daily", events({"daily": base()["daily"]}))
    found = ci(tmp_path / "one", tmp_path / "other", "--data", served, "--format", "json").document
    assert gone(found) == {node("clean.status")}


def test_a_table_of_a_snapshot_whose_source_is_not_seen_is_not_called_unwritten(tmp_path: Path, served: Path) -> None:
    """`clean` now reads what the listener does not see: a snapshot cannot tell it from a table that a test made."""
    unseen = {**base(), "clean": replace(base()["clean"], reads={}, made={}, chosen=[])}
    one, other = snapshot(tmp_path / "one", events(base())), snapshot(tmp_path / "other", events(unseen))
    assert ci(one, other, "--data", served, "--format", "json").document["consequences"] == []
    of_events = written(tmp_path / "a", events(base())), written(tmp_path / "b", events({"daily": base()["daily"]}))
    assert gone(ci(*of_events, "--data", served, "--format", "json").document) == {node("clean")}


def test_a_failed_job_takes_nothing_from_a_snapshot(tmp_path: Path, served: Path, rules: Path) -> None:
    failed = [
        {**event, "eventType": "FAIL", "outputs": []} if event["job"]["name"] == "daily" else event
        for event in events(base())
    ]
    one, other = snapshot(tmp_path / "one", events(base())), written(tmp_path / "other", failed)
    answer = ci(one, other, "--data", served, "--settings", rules, "--format", "json")
    assert (answer.status, answer.document["broken"]) == (0, [])


def test_columns_of_snapshots_have_no_place_that_would_make_them_one_renamed(tmp_path: Path) -> None:
    """Both are the second of the sorted columns; nothing says that one became the other."""
    sides = []
    for name in ("code", "color"):
        jobs = {"clean": Job({"raw": {"a": "string"}}, "clean", {"a": "string", name: "string", "z": "string"}, {})}
        sides.append(snapshot(tmp_path / name, events(jobs)))
    (changed,) = ci(*sides, "--format", "json").document["nodes"]["changed"]
    assert [column["field"] for column in changed["columns"]["removed"]] == ["code"]
    assert not changed["columns"].get("renamed")


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("after.yaml", ["policy: {keep_columns: true}", "tables: {}", "tables: [orders]", "<<<<<<< HEAD"]),
        ("after.json", ["", "{}", '{"eventTime": "soon"}', "no JSON"]),
    ],
)
def test_what_is_no_snapshot_or_no_event_is_named(name: str, texts: list[str], before: Path, tmp_path: Path) -> None:
    for text in texts:
        (tmp_path / name).write_text(text, encoding="utf-8")
        answer = ci(before, tmp_path / name)
        assert (answer.status, answer.output) == (2, "")
        assert name in answer.errors


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_the_order_of_events_and_events_that_come_twice_change_nothing(
    change: Change, before: Path, tmp_path: Path, served: Path
) -> None:
    after = events(change.pipeline)
    whole = ci(before, written(tmp_path / "after", after), "--data", served).output
    chance = random.Random(7)
    for _ in range(3):
        shuffled = chance.sample([*after, *after], 2 * len(after))
        assert ci(before, written(tmp_path / "after", shuffled), "--data", served).output == whole


@pytest.mark.parametrize("name", [name for name in unchanged() if not name.startswith("queries")])
def test_a_refactoring_that_changes_nothing_is_no_difference(
    name: str, before: Path, tmp_path: Path, served: Path, rules: Path
) -> None:
    after = written(tmp_path / "after", unchanged()[name])
    answer = ci(before, after, "--data", served, "--settings", rules, "--format", "json")
    assert_nothing(answer)
    assert answer.document["frontier"]["sentence"].startswith("It looked at 2 jobs and 3 datasets")


def assert_nothing(answer: Answer) -> None:
    assert answer.status == 0
    assert not answer.document["differs"]
    assert answer.document["consequences"] == answer.document["broken"] == []


def test_a_query_that_spark_plans_otherwise_is_the_same_job(tmp_path: Path) -> None:
    one, other = (written(tmp_path / name, unchanged()[name]) for name in unchanged() if name.startswith("queries"))
    assert not ci(one, other, "--format", "json").document["differs"]


def test_nothing_differs_names_what_cannot_be_seen(tmp_path: Path) -> None:
    jobs = base()
    jobs["daily"].made, jobs["daily"].chosen = {}, []
    jobs["clean"].reads = {"raw": {}}
    side = written(tmp_path / "side", events(jobs))
    said = " ".join(ci(side, side).output.split())  # its lines break by the length of the folder's name
    assert "nothing differs" in said
    assert "not seen: 1 job without column lineage (daily); 1 dataset without a schema (raw)" in said
    assert "Not compared: what expressions compute" in said


def people(*fields: str) -> Document:
    nested = [{"name": field, "type": "string"} for field in fields]
    schema = factory.facet(fields=[{"name": "address", "type": "struct", "fields": nested}])
    return factory.run_event("COMPLETE", job="load", outputs=[factory.dataset("people", schema=schema)])


def test_who_reads_a_column_may_read_a_field_of_it(tmp_path: Path) -> None:
    """Production knows the readers of `address`, not which of its fields they read."""
    lines = factory.columns(to=("s3://lake", "people", "address"))
    letters = factory.dataset("letters", schema=factory.schema("to:string"), columnLineage=lines)
    reads = factory.run_event("COMPLETE", run=2, job="mail", inputs=[factory.dataset("people")], outputs=[letters])
    fill(tmp_path / "lineage.db", [people("street", "city"), reads])
    one, other = written(tmp_path / "one", [people("street", "city")]), written(tmp_path / "other", [people("city")])
    (lost,) = ci(one, other, "--data", tmp_path / "lineage.db", "--format", "json").document["consequences"]
    assert (lost["column"], lost["isKnown"], lost["certain"]) == ("address.street", True, [])
    assert node("letters.to") in {item["nodeId"] for item in lost["may"]}


def test_what_production_has_no_record_of_is_not_said_to_be_unread(before: Path, tmp_path: Path) -> None:
    jobs = base()
    jobs["daily"].types.pop("orders"), jobs["daily"].made.pop("orders")
    fill(tmp_path / "lineage.db", events({"clean": base()["clean"]}))
    answer = ci(before, written(tmp_path / "after", events(jobs)), "--data", tmp_path / "lineage.db")
    assert "daily.orders is removed" in answer.output
    assert "production has no record of it, so it cannot say who reads it" in answer.output
    assert "nothing" not in answer.output


def test_a_server_gives_the_answers_of_its_file(before: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = events(production(), facets=FACETS)
    fill(tmp_path / "lineage.db", documents)
    words = (before, written(tmp_path / "after", events(CHANGES["a job less"].pipeline)), "--format", "json")
    monkeypatch.setenv("HEADWATER_API_KEY", KEY)
    with api_over(table_after(*documents)) as url:
        by_url = ci(*words, "--url", url).document
        assert by_url.pop("production") == url
        by_file = ci(*words, "--data", tmp_path / "lineage.db").document
        assert by_file.pop("production") == str(tmp_path / "lineage.db")
        assert by_url == by_file
        monkeypatch.setenv("HEADWATER_API_KEY", "another")
        answer = ci(*words, "--url", url)
    assert (answer.status, answer.output) == (3, "")
    assert "another" not in answer.errors


@pytest.mark.parametrize("has_begun_to_write", [False, True])
def test_a_job_that_failed_is_named_and_what_it_lacks_is_not_said_to_be_lost(
    has_begun_to_write: bool, before: Path, tmp_path: Path, served: Path, rules: Path
) -> None:
    events_of_daily = [event for event in events(base()) if event["job"]["name"] == "daily"]
    outputs = [factory.dataset("daily", schema=factory.schema("total:double"))] if has_begun_to_write else []
    failed = [
        {**event, "eventType": kind, "outputs": outputs}
        for event, kind in zip(events_of_daily, ("START", "FAIL"), strict=True)
    ]
    others = [event for event in events(base()) if event["job"]["name"] != "daily"]
    after = written(tmp_path / "after", [*others, *failed])
    answer = ci(before, after, "--data", served, "--settings", rules, "--format", "json")
    assert [each["rule"] for each in answer.document["broken"]] == ["keep_columns"] * has_begun_to_write
    (note,) = answer.document["notes"]
    assert note == f"the newest run of the job daily failed in {after}, which may lack what it writes"


def test_owners_dashboards_and_how_often_a_reader_runs_are_told(before: Path, tmp_path: Path, served: Path) -> None:
    after = written(tmp_path / "after", events(CHANGES["another type"].pipeline))
    (lost,) = ci(before, after, "--data", served, "--format", "json").document["consequences"]
    assert lost["owners"] == ["finance"]
    assert lost["runsADay"] == {"job:demo:report": pytest.approx(1.0, abs=0.3)}
    assert [item["exposure"]["name"] for item in lost["may"]] == ["board"]
    assert "readers of 1 dataset that send no lineage" in lost["unseen"]
    assert "job report runs once a day" in ci(before, after, "--data", served).output


def test_an_owner_of_some_readers_is_not_said_to_own_all(before: Path, tmp_path: Path, served: Path) -> None:
    """The table clean is read for daily, which has no owner."""
    jobs = base()
    jobs["clean"].types["amount"] = jobs["daily"].reads["clean"]["amount"] = "double"
    rules = tmp_path / "rules.yml"
    rules.write_text("policy: {keep_columns: true}", encoding="utf-8")
    answer = ci(before, written(tmp_path / "after", events(jobs)), "--data", served, "--settings", rules)
    assert "clean.amount is retyped, and 4 nodes certainly use it; owners: finance" in answer.output


def test_the_page_shows_what_the_command_prints(before: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path / "lineage.db", events(production(), facets=FACETS))
    written(tmp_path / "after", events(CHANGES["another type"].pipeline))
    (tmp_path / "headwater.yml").write_text("policy: {keep_columns: true}", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    shown = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8").partition("```console\n")[2].partition("```")[0]
    command, _, output = shown.partition("\n")
    assert ci(*command.split()[3:]).output == output


def test_the_example_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The workflow calls the command with options that it has. Of a pull request that writes mails in place of their
    hashes and drops a column, it finds these, by the snapshots that the tests would accept."""
    shutil.copytree(EXAMPLE / "tests", tmp_path / "before" / "tests")
    shutil.copytree(EXAMPLE, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    workflow = EXAMPLE / ".github" / "workflows" / "lineage.yml"
    steps = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"]["lineage"]["steps"]
    (line,) = [step["run"] for step in steps if "headwater ci" in step.get("run", "")]
    words = shlex.split(line)[2:]
    assert parser().parse_args(words).comment
    words.remove("--comment")
    same = ci(*words)
    assert (same.status, "nothing differs" in same.output) == (0, True)
    for path in (tmp_path / "tests" / "__lineage__").rglob("*.yaml"):
        text = path.read_text(encoding="utf-8").replace("mail_hash:", "mail:").replace("mail_hash", "mail")
        mail = "file:TMP/customers.csv.mail: TRANSFORMATION, masked"
        text = text.replace(mail, "file:TMP/customers.csv.mail: IDENTITY")
        text = re.sub(r" {6}tier:\n(?: {8}.*\n)+", "", text)
        path.write_text(text, encoding="utf-8")
    answer = ci(*words)
    assert answer.status == 1
    assert "rule never is broken: customers.mail is made of customers.csv.mail" in answer.output
    assert "- tier, string" in answer.output
    assert "- mail_hash, string" in answer.output
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    assert "examples/lineage_tests/.github/workflows/lineage.yml" in page


def test_a_loss_is_told_without_production_and_the_rule_about_it_is_said_to_be_unchecked(
    before: Path, tmp_path: Path, rules: Path
) -> None:
    answer = ci(before, written(tmp_path / "after", events(CHANGES["another type"].pipeline)), "--settings", rules)
    assert answer.status == 0
    assert "keep_columns was not checked" in answer.output


@pytest.mark.parametrize(
    ("entry", "status"),
    [
        (f'{{namespace: "{LAKE}", dataset: daily, column: total, note: "finance knows"}}', 0),
        (f'{{namespace: "{LAKE}", dataset: "d*", column: "*"}}', 0),
        (f'{{namespace: "{LAKE}", dataset: daily, column: status}}', 1),
        (f'{{namespace: "{LAKE}", dataset: daily}}', 1),
        ('{namespace: "s3://other", dataset: daily, column: total}', 1),
    ],
)
def test_a_line_acknowledges_a_loss(entry: str, status: int, before: Path, tmp_path: Path, served: Path) -> None:
    rules = tmp_path / "rules.yml"
    rules.write_text(f"{RULES}  acknowledged:\n    - {entry}\n", encoding="utf-8")
    after = written(tmp_path / "after", events(CHANGES["another type"].pipeline))
    answer = ci(before, after, "--data", served, "--settings", rules)
    assert answer.status == status
    assert ("acknowledged: datasetField:s3://lake:daily:total" in answer.output) == (status == 0)


def test_a_column_is_made_of_a_named_one_by_way_of_production(before: Path, tmp_path: Path, rules: Path) -> None:
    """The change reads a table that production makes of the named column."""
    data = tmp_path / "lineage.db"
    jobs = production()
    jobs["clean"].types["contact"] = "string"
    jobs["clean"].made["contact"] = [("raw", "email", "TRANSFORMATION")]
    fill(data, events(jobs))
    change = base()
    del change["clean"]
    change["daily"].types["contact"] = "string"
    change["daily"].made["contact"] = [("clean", "contact", "IDENTITY")]
    after = written(tmp_path / "after", events(change))
    found = ci(before, after, "--data", data, "--settings", rules, "--format", "json").document
    (never,) = [each for each in found["broken"] if each["rule"] == "never"]
    assert never["path"] == [node("raw.email"), node("clean.contact"), node("daily.contact")]


@pytest.mark.parametrize("change", ["a UDF", "another type", "another name, and the reader follows"])
def test_columns_with_colons_are_columns(change: str, tmp_path: Path, rules: Path) -> None:
    def renamed(documents: list[Document]) -> list[Document]:
        text = json.dumps(documents)
        for name in ("total", "amount", "price"):
            text = text.replace(f'"{name}"', f'"{name}:eur"')
        return list(json.loads(text))

    fill(tmp_path / "lineage.db", renamed(events(production())))
    one = written(tmp_path / "before", renamed(events(base())))
    other = written(tmp_path / "after", renamed(events(CHANGES[change].pipeline)))
    found = ci(one, other, "--data", tmp_path / "lineage.db", "--settings", rules, "--format", "json").document
    expected = {(rule, f"{node(of)}:eur") for rule, of in CHANGES[change].rules}
    assert {(each["rule"], each["nodeId"]) for each in found["broken"]} == expected


def test_names_are_mapped(tmp_path: Path, served: Path, rules: Path) -> None:
    one = written(tmp_path / "before", events(base(), "file", "/data/pytest-1/lake/"))
    other = written(tmp_path / "after", events(CHANGES["another type"].pipeline, "file", "/data/pytest-2/lake/"))
    rules.write_text(f'names:\n  - {{from: "file:/data/*/lake", to: "{LAKE}"}}\n{RULES}', encoding="utf-8")
    found = ci(one, other, "--data", served, "--settings", rules, "--format", "json").document
    assert gone(found) == {node("daily.total")}
    assert [each["rule"] for each in found["broken"]] == ["keep_columns"]


def test_sides_without_a_name_in_common_are_not_compared(tmp_path: Path, before: Path, served: Path) -> None:
    other = written(tmp_path / "after", events(base(), "file", "/data/lake/"))
    answer = ci(before, other)
    assert (answer.status, answer.output) == (2, "")
    assert "dataset:file:/data/lake/clean" in answer.errors
    assert "dataset:s3://lake:clean" in answer.errors
    assert "--suggest-map" in answer.errors
    answer = ci(other, other, "--data", served)
    assert (answer.status, answer.output) == (2, "")
    assert f"the namespace {LAKE}" in answer.errors


def test_a_map_is_suggested_and_works(tmp_path: Path, served: Path) -> None:
    side = written(tmp_path / "side", events(base(), "file", "/data/lake/"))
    suggested = ci(side, side, "--data", served, "--suggest-map")
    assert suggested.output == (
        'names:\n  - {from: "file:/data/lake", to: "s3://lake"}  # 3 of 3 datasets, 10 of 10 columns agree\n'
    )
    settings = tmp_path / "map.yml"
    settings.write_text(suggested.output, encoding="utf-8")
    assert ci(side, side, "--data", served, "--settings", settings).status == 0


@pytest.mark.parametrize(("name", "is_proposed"), [("shop.main.", True), ("other.main.", False)])
def test_a_rule_that_no_map_can_tell_is_not_suggested(name: str, is_proposed: bool, tmp_path: Path) -> None:
    """The namespace is the path of a database: a rule has no beginning of names in it."""
    side = written(tmp_path / "side", events(base(), "duckdb:///scratch/shop.duckdb", "shop.main."))
    fill(tmp_path / "lineage.db", events(base(), "duckdb:///srv/shop.duckdb", name))
    output = ci(side, side, "--data", tmp_path / "lineage.db", "--suggest-map").output
    assert ('{from: "duckdb:///scratch/shop.duckdb", to: "duckdb:///srv/shop.duckdb"}' in output) == is_proposed
    assert output.startswith("names:" if is_proposed else "no dataset of ")


def test_no_map_is_suggested_where_columns_are_others(tmp_path: Path, served: Path) -> None:
    jobs = base()
    for job in jobs.values():
        job.reads = {name: dict.fromkeys(("x", "y"), "string") for name in job.reads}
        job.types, job.made, job.chosen = {"x": "string"}, {}, []
    side = written(tmp_path / "side", events(jobs, "file", "/data/lake/"))
    assert ci(side, side, "--data", served, "--suggest-map").output.startswith("no dataset of ")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("names: [{from: a}]", "names[0].to: expected a text"),
        ("names: [{from: a, to: b, too: c}]", "names[0].too: unknown"),
        ('names: [{from: a, to: "s3://*"}]', "names[0].to: expected a beginning of names without *"),
        ("policy: {keep_column: true}", "policy.keep_column: unknown; expected one of keep_columns"),
        ("policy: {keep_columns: yes please}", "policy.keep_columns: expected true or false"),
        ("policy: {sources: s3}", "policy.sources: expected a list"),
        ("policy: {never: [{namespace: a, dataset: b, column: c}]}", "policy.never[0].of: expected"),
        ("policy: {acknowledged: [{dataset: b}]}", "policy.acknowledged[0].namespace: expected a text"),
        ("polici: {}", "polici: unknown; expected expectations, holidays, groups, names or policy"),
        ("names: [", "no YAML"),
    ],
)
def test_a_fault_of_the_settings_is_named(text: str, fault: str, before: Path, tmp_path: Path) -> None:
    settings = tmp_path / "headwater.yml"
    settings.write_text(text, encoding="utf-8")
    answer = ci(before, before, "--settings", settings)
    assert answer.status == 2
    assert fault in answer.errors


def test_a_file_that_is_missing_is_named(before: Path, tmp_path: Path) -> None:
    assert ci(before, tmp_path / "none").status == 2
    assert ci(before, before, "--data", tmp_path / "none.db").status == 3
    assert ci(before, before, "--settings", tmp_path / "none.yml").status == 2
