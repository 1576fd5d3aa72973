"""The doctor's diagnosis of a listener's settings."""

from pathlib import Path

import pytest

from headwater.cli.doctor.finding import Blame, Diagnosis
from headwater.cli.doctor.listener import LISTENER, Listener, gaps_by, listener_of

SETTINGS = {
    "spark.extraListeners": f"com.example.Other, {LISTENER}",
    "spark.openlineage.namespace": "prod",
    "spark.openlineage.transport.type": "http",
    "spark.openlineage.transport.url": "https://api.example.com",
}
OWN_FILE = "transport:\n  type: http\n  url: https://api.example.com{path}\n  auth: {{type: api_key, apiKey: k}}\n"


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the listener looks for a file of its own, there is none."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))


def listener(folder: Path, *left_out: str, own: str | None = None, **changes: str) -> Listener:
    """The listener of these settings; `changes` are below spark.openlineage and have _ for a dot."""
    changed = {f"spark.openlineage.{name.replace('_', '.')}": value for name, value in changes.items()}
    settings = {name: value for name, value in (SETTINGS | changed).items() if name not in left_out}
    file = folder / "spark-defaults.conf"
    file.write_text("# of a cluster\n" + "".join(f"{name:50} {value}\n" for name, value in settings.items()))
    environment = {}
    if own is not None:
        (folder / "own.yml").write_text(own)
        environment["OPENLINEAGE_CONFIG"] = str(folder / "own.yml")
    return listener_of(file, environment)


def ill(folder: Path, *left_out: str, own: str | None = None, **changes: str) -> tuple[Blame | None, str]:
    with pytest.raises(Diagnosis) as raised:
        listener(folder, *left_out, own=own, **changes)
    return raised.value.finding.blame, raised.value.finding.what


def test_the_canary_is_posted_to_the_url_of_the_settings_with_the_key_of_the_listener_s_file(tmp_path: Path) -> None:
    tested = listener(tmp_path, own=OWN_FILE.format(path=""))
    client = tested.client
    assert (client.url, client.lineage, client.key) == ("https://api.example.com", "/api/v1/lineage", "k")
    assert tested.namespace == "prod"
    assert listener(tmp_path, "spark.openlineage.namespace").namespace == "default"


@pytest.mark.parametrize("line", ["{} {}", "{}={}", "{} = {}", "{}\t{}", "  {}: {}  "])
def test_settings_are_read_as_spark_reads_them(tmp_path: Path, line: str) -> None:
    file = tmp_path / "spark-defaults.conf"
    file.write_text("\n".join(["", "! a remark", *(line.format(*setting) for setting in SETTINGS.items())]))
    assert listener_of(file, {}).client.url == "https://api.example.com"


def test_a_path_is_ignored_among_sparks_settings_and_taken_as_it_is_in_the_own_file(tmp_path: Path) -> None:
    url = "spark.openlineage.transport.url"
    assert listener(tmp_path, transport_url="https://api.example.com/prod").client.lineage == "/api/v1/lineage"
    assert listener(tmp_path, transport_endpoint="prod/api/v1/lineage").client.lineage == "/prod/api/v1/lineage"
    assert listener(tmp_path, url, own=OWN_FILE.format(path="/prod")).client.lineage == "/prod"
    blame, what = ill(tmp_path, url, own=OWN_FILE.format(path="/prod"), transport_endpoint="/api/v1/lineage")
    assert (blame, "sends nothing" in what) == (Blame.PATH, True)


def test_spark_without_the_listener_is_found(tmp_path: Path) -> None:
    blame, what = ill(tmp_path, "spark.extraListeners")
    assert (blame, what) == (Blame.LISTENER, "spark.extraListeners does not name the listener")


@pytest.mark.parametrize("kind", ["async_http", "console"])
def test_a_transport_other_than_http_is_found(tmp_path: Path, kind: str) -> None:
    blame, what = ill(tmp_path, transport_type=kind)
    assert (blame, f"type is {kind}:" in what) == (Blame.LISTENER, True)


def test_a_listener_s_file_without_transport_url_or_type_is_found(tmp_path: Path) -> None:
    assert "type is not set" in ill(tmp_path, "spark.openlineage.transport.type")[1]
    assert "is not an http or https URL" in ill(tmp_path, "spark.openlineage.transport.url")[1]
    assert "no transport.type" in ill(tmp_path, own="transport: {auth: {type: api_key, apiKey: k}}")[1]


def test_a_missing_jar_is_found(tmp_path: Path) -> None:
    jar = tmp_path / "openlineage-spark.jar"
    more = {"spark.driver.extraClassPath": f"/somewhere/else.jar:{jar}"}
    file = tmp_path / "settings"
    file.write_text("".join(f"{name} {value}\n" for name, value in (SETTINGS | more).items()))
    with pytest.raises(Diagnosis, match="is not there"):
        listener_of(file, {})
    jar.touch()
    assert listener_of(file, {}).namespace == "prod"


def test_a_listener_s_file_that_is_no_yaml_is_found(tmp_path: Path) -> None:
    assert ill(tmp_path, own="{")[0] is Blame.KEY


@pytest.mark.parametrize("key", ["|\n    a-secret\n", '"a secret"', '"k\\u00fc"'])
def test_a_key_with_characters_that_no_header_takes_is_found_and_not_shown(tmp_path: Path, key: str) -> None:
    own = f"transport:\n  type: http\n  auth:\n   type: api_key\n   apiKey: {key}\n"
    with pytest.raises(Diagnosis) as raised:
        listener(tmp_path, own=own)
    assert raised.value.finding.blame is Blame.KEY
    assert "secret" not in "".join(raised.value.finding.lines())


def test_a_listener_s_file_without_a_transport_is_no_fault(tmp_path: Path) -> None:
    assert listener(tmp_path, own="facets: {spark_unknown: {disabled: true}}").namespace == "prod"


def test_a_key_without_its_type_is_found(tmp_path: Path) -> None:
    assert ill(tmp_path, transport_auth_apiKey="k") == (
        Blame.KEY,
        "spark.openlineage.transport.auth.type is not set: the listener sends no key",
    )
    assert ill(tmp_path, transport_auth_type="jwt")[0] is Blame.KEY


def test_a_listener_s_file_that_is_no_text_is_found(tmp_path: Path) -> None:
    (tmp_path / "openlineage.yml").write_bytes(b"\xff\xfe")
    assert ill(tmp_path)[0] is Blame.KEY


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"spark.sql.extensions": "a.B, io.delta.sql.DeltaSparkSessionExtension"}, "with Delta's extension"),
        (
            {"spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension", "spark.sql.adaptive.enabled": "false"},
            "",
        ),
        ({"spark.sql.catalog.lake.type": "jdbc"}, "no table of the Iceberg catalog lake"),
        ({"spark.sql.catalog.lake.catalog-impl": "org.apache.iceberg.jdbc.JdbcCatalog"}, "the Iceberg catalog lake"),
        ({"spark.sql.catalog.lake.type": "hive"}, ""),
    ],
)
def test_what_the_listener_leaves_out_with_these_settings_is_told(settings: dict[str, str], told: str) -> None:
    found = [finding.what for finding in gaps_by(SETTINGS | settings)]
    assert [told in what for what in found] == [True] * bool(told)


def test_it_is_told_whether_the_jar_beside_the_listener_is_named_and_there(tmp_path: Path) -> None:
    jar, folder = tmp_path / "headwater-spark.jar", tmp_path / "jars"
    folder.mkdir()

    def told(**settings: str) -> list[str]:
        file = tmp_path / "settings"
        lines = SETTINGS | {name.replace("_", "."): value for name, value in settings.items()}
        file.write_text("".join(f"{name} {value}\n" for name, value in lines.items()))
        return [gap.what.partition(":")[0] for gap in listener_of(file, {}).gaps]

    unnamed = ["no setting names headwater-spark.jar beside the listener"]
    assert told() == told(spark_jars="/opt/spark-headwater.jar", spark_driver_extraClassPath=f"{folder}/*") == unnamed
    assert told(spark_jars="s3://bucket/other.jar, s3://bucket/headwater/headwater-spark.jar") == []
    assert told(spark_jars=f"file:{jar}") == [f"the jar beside the listener, {jar}, is not there"]
    jar.touch()
    assert told(spark_jars=f"file:{jar}") == []
    jar.rename(folder / "headwater-spark-0.1.jar")
    assert told(spark_driver_extraClassPath=f"/opt/lost/*:{folder}/*") == []
