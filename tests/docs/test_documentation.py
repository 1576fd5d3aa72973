"""The documentation lists every item, variable, metric, alarm, alert and route of the code, and no other."""

import re
from pathlib import Path
from typing import get_type_hints

import pytest

from headwater import config
from headwater.curate.routes import ROUTES as WRITTEN
from headwater.http.paths import PREFIX
from headwater.http.paths import Path as ApiPath
from headwater.lookup.routes import ROUTES
from headwater.process_settings import DEFAULTS
from headwater.store.kinds import CODECS
from headwater.store.sqlite.database import TABLES
from local.deploy.template import read_template
from tests.alert_samples import TYPES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
TEMPLATE = read_template(ROOT / "template.yaml")["Resources"]
SETTINGS = {
    path.name: vars(config)[name]
    for path in sorted((ROOT / "functions").iterdir())
    if (name := f"{path.name.title().replace('_', '')}Settings") in vars(config)
}


def column(document: str, heading: str, number: int = 0) -> list[str]:
    """What stands in backticks in a column of the table that has this heading in its first row."""
    lines = (DOCS / document).read_text().splitlines()
    start = next(index for index, line in enumerate(lines) if line.startswith(f"| {heading} |"))
    rows = _until_blank(lines[start + 2 :])
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row.split("|")[number + 1])]


def variables(settings: type[config.Settings]) -> set[str]:
    return {field.upper() for field in get_type_hints(settings)}


def _until_blank(lines: list[str]) -> list[str]:
    return lines[: lines.index("")] if "" in lines else lines


def test_every_kind_of_item_is_documented_and_no_other() -> None:
    assert set(column("table.md", "kind")) == {*CODECS, "auditEntry", "refusal", "day", "searchTerm", "datasetAlert"}


def test_every_index_is_documented_and_no_other() -> None:
    table = TEMPLATE["LineageTable"]["Properties"]
    indexes = {index["IndexName"] for index in table["LocalSecondaryIndexes"] + table["GlobalSecondaryIndexes"]}
    assert set(column("table.md", "index")) == indexes


def test_every_prefix_of_the_bucket_is_documented() -> None:
    source = "".join(path.read_text() for path in (ROOT / "layers" / "headwater").rglob("*.py"))
    written = set(re.findall(r'f?"(bodies|items|quarantine)[/"]', source))
    assert written <= {prefix.strip("/") for prefix in column("table.md", "prefix")}
    assert len(written) == 3


@pytest.mark.parametrize("function", SETTINGS)
def test_a_function_is_given_every_variable_that_it_reads_and_no_other(function: str) -> None:
    given = TEMPLATE[f"{function.title().replace('_', '')}Function"]["Properties"]["Environment"]["Variables"]
    of_code = {name for name in given if not name.startswith("POWERTOOLS_")} - {"SETTINGS_VERSION"}
    assert of_code == variables(SETTINGS[function])


def test_every_variable_is_documented_with_its_functions() -> None:
    rows = [line.split("|") for line in (DOCS / "environment.md").read_text().splitlines() if line.startswith("| `")]
    documented = {row[1].strip(" `"): {value.strip() for value in row[2].split(",")} for row in rows}
    read: dict[str, set[str]] = {}
    for function, settings in SETTINGS.items():
        for variable in variables(settings):
            read.setdefault(variable, set()).add(function)
    assert {name: of for name, of in documented.items() if not name.startswith("POWERTOOLS_")} == read


def test_every_variable_of_the_server_is_documented_with_its_default_which_is_that_of_the_template() -> None:
    documented = dict(
        zip(column("serve.md", "environment variable"), column("serve.md", "environment variable", 1), strict=True)
    )
    assert documented == DEFAULTS
    parameters = read_template(ROOT / "template.yaml")["Parameters"]
    names = column("serve.md", "environment variable", 2)
    assert [str(parameters[name]["Default"]) for name in names] == list(documented.values())


def test_every_table_of_the_file_is_documented_and_no_other() -> None:
    assert column("serve.md", "table") == re.findall(r"CREATE TABLE (\w+)", TABLES)


def test_every_metric_is_documented_and_no_other() -> None:
    sources = [*(ROOT / "functions").rglob("*.py"), *(ROOT / "layers" / "headwater").rglob("*.py")]
    source = "".join(path.read_text() for path in sources)
    emitted = set(
        re.findall(
            r"\b((?:Events|Alerts|Records|Tables|Databases|Connectors|Clusters|Subjects|Secrets|Keys|Registries)[A-Z]\w+|PartitionsWritten)=",
            source,
        )
    )
    emitted |= set(re.findall(r'"(\w+Latency|CorruptItems|AuditEntriesLost)"', source))
    from_log = TEMPLATE["ApiThrottledRequests"]["Properties"]["MetricTransformations"][0]["MetricName"]
    assert set(column("metrics.md", "metric")) == emitted | {from_log}


def test_every_alarm_has_its_advice_and_no_other() -> None:
    alarms = {name for name, resource in TEMPLATE.items() if resource["Type"] == "AWS::CloudWatch::Alarm"}
    assert set(column("operating.md", "alarm")) == alarms


def test_every_type_of_alert_is_documented_and_no_other() -> None:
    assert set(column("alerts.md", "detail type")) == set(TYPES)


def test_every_route_of_the_api_is_documented_and_no_other() -> None:
    documented = {route for route in column("routes.md", "route") if route.startswith("POST")}
    keys = {
        resource["Properties"]["RouteKey"]
        for resource in TEMPLATE.values()
        if resource["Type"] == "AWS::ApiGatewayV2::Route"
    }
    assert documented == {key for key in keys if key.startswith("POST") and "{proxy+}" not in key}


def test_every_request_to_write_is_documented_and_no_other() -> None:
    documented = [request.split(" ") for request in column("routes.md", "request")]
    matched = {
        next(route for route in WRITTEN if route.method == method and re.fullmatch(route.pattern, _example(path)))
        for method, path in documented
    }
    assert matched == set(WRITTEN)


def test_every_lookup_is_documented_and_no_other() -> None:
    documented = re.findall(r"^\| `GET (/[^`]+)`", (DOCS / "routes.md").read_text(), re.MULTILINE)
    matched = [
        next(lookup.pattern for lookup in ROUTES if re.fullmatch(lookup.pattern, _example(route)))
        for route in documented
    ]
    assert sorted(matched) == sorted(route.pattern for route in ROUTES) == sorted(ApiPath)


def _example(route: str) -> str:
    run_id = "00000000-0000-0000-0000-000000000001"
    ids = {"{run}": run_id, "{version}": run_id, "{alert}": "a" * 32}
    return re.sub(r"\{\w+\}", lambda match: ids.get(match[0], "x"), route.removeprefix(PREFIX))


PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(
            page
            for folder in ("docs", "emr_jobs", "events", "examples", "tests")
            for page in (ROOT / folder).rglob("*.md")
        ),
    ]
)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{target} of {page.name} is not there"


def test_every_target_of_make_that_the_readme_names_is_there() -> None:
    named = set(re.findall(r"`make (\w+)", (ROOT / "README.md").read_text()))
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert named
    assert named <= targets
