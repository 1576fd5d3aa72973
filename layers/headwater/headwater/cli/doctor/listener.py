"""The URL, path, key and namespace of a job's listener, read from the settings that the job runs with."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from headwater.cli.api import LINEAGE, Api
from headwater.cli.doctor.finding import Blame, Diagnosis, DoctorFinding, unusable
from headwater.cli.doctor.spark_gaps import WITHOUT_JAR
from headwater.cli.endpoint import UnusableKey, as_header, is_address

Settings = Mapping[str, str]

LISTENER = "io.openlineage.spark.agent.OpenLineageSparkListener"
PREFIX = "spark.openlineage"
TRANSPORT = f"{PREFIX}.transport"
URL, ENDPOINT, AUTH = f"{TRANSPORT}.url", f"{TRANSPORT}.endpoint", f"{TRANSPORT}.auth"
FILE, FILE_VARIABLE = "openlineage.yml", "OPENLINEAGE_CONFIG"
SETTING = re.compile(r"([^\s=:#!][^\s=:]*)(?:\s*[=:]\s*|\s+)(.*)")
DELTA = "io.delta.sql.DeltaSparkSessionExtension"
JDBC_CATALOG = re.compile(r"spark\.sql\.catalog\.([^.]+)\.(?:type|catalog-impl)")
JDBC_IMPLEMENTATION = "org.apache.iceberg.jdbc.jdbccatalog"
JAR = "headwater-spark"
BOOTSTRAP_LOG = "see the bootstrap action's log: stderr.gz under node/ in the cluster's log folder"
JARS = {"spark.jars": ",", "spark.driver.extraClassPath": ":"}


@dataclass(frozen=True)
class Listener:
    """`client` posts as the listener does: to the same URL and path, with the same key. `gaps` are what the listener
    will not report of the jobs with these settings."""

    client: Api
    namespace: str
    gaps: tuple[DoctorFinding, ...] = ()


def listener_of(spark_defaults: Path, environment: Mapping[str, str]) -> Listener:
    """Return the listener that a file of Spark's settings configures, with the listener's own file if it exists.

    The listener ignores the path of a URL among Spark's settings, and keeps the path of a URL in its own file (observed
    with listener 1.53). Raises Diagnosis if the listener would send nothing, OSError or ValueError if a file is
    unreadable.
    """
    try:
        of_spark = dict(settings_in(spark_defaults.read_text(encoding="utf-8")))
    except UnicodeDecodeError as error:
        raise ValueError(f"{spark_defaults} is not a file of settings") from error
    own = listener_file_settings(of_spark, environment)
    settings = {**own, **of_spark}
    for finding in (missing_listener(settings), disabled_transport(settings, own)):
        if finding:
            raise Diagnosis(finding)
    url = urlsplit(settings[URL])
    path = "" if URL in of_spark else url.path
    endpoint = "/" + settings.get(ENDPOINT, LINEAGE).lstrip("/")
    if path and ENDPOINT in settings:
        what = f"{URL} has a path, and {ENDPOINT} is set: the listener accepts one of them, and sends nothing"
        raise Diagnosis(DoctorFinding(what, f"remove {path} from the URL: use the output ApiUrl unchanged", Blame.PATH))
    try:
        key = as_header(settings.get(f"{AUTH}.apiKey", ""))
    except UnusableKey as error:
        raise Diagnosis(unusable(error)) from None
    client = Api(f"{url.scheme}://{url.netloc}", key, lineage=path or endpoint)
    return Listener(
        client, settings.get(f"{PREFIX}.namespace", "default"), (*missing_jar(settings), *gaps_by(settings))
    )


def settings_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield the settings of a file as spark-submit reads it: `NAME VALUE` or `NAME=VALUE`, one a line."""
    for line in text.splitlines():
        if setting := SETTING.fullmatch(line.strip()):
            yield setting[1], setting[2]


def listener_file_settings(settings: Settings, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of the listener's own file, by the names that Spark's settings have."""
    named = [settings.get(f"spark.yarn.appMasterEnv.{FILE_VARIABLE}"), environment.get(FILE_VARIABLE)]
    files = [*(Path(name) for name in named if name), Path(FILE), Path.home() / ".openlineage" / FILE]
    try:
        file = next((candidate for candidate in files if candidate.is_file()), None)
        return dict(flattened(PREFIX, yaml.safe_load(file.read_text(encoding="utf-8")))) if file else {}
    except (OSError, ValueError, yaml.YAMLError) as error:
        what = f"the listener's file cannot be read: {type(error).__name__}"
        raise Diagnosis(
            DoctorFinding(what, "run the doctor as the user of the drivers, and check that the file is YAML", Blame.KEY)
        ) from error


def flattened(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for inner, member in value.items():
            yield from flattened(f"{name}.{inner}", member)
    else:
        yield name, str(value)


def missing_listener(settings: Settings) -> DoctorFinding | None:
    """Return a finding if the settings make Spark load no listener. No setting needs to name the jar: EMR may have the
    jar on the class path."""
    if LISTENER not in re.split(r"\s*,\s*", settings.get("spark.extraListeners", "")):
        fix = f"set spark.extraListeners={LISTENER}, for all jobs: emr_jobs/cluster"
        return DoctorFinding("spark.extraListeners does not name the listener", fix, Blame.LISTENER)
    if lost := lost_jars(settings, "openlineage"):
        return DoctorFinding(f"the listener's jar {lost[0]} is not there", BOOTSTRAP_LOG, Blame.LISTENER)
    return None


def missing_jar(settings: Settings) -> Iterator[DoctorFinding]:
    """A finding if the settings do not name the jar beside the listener, or one that is not there. The jar has no
    setting of its own: the listener finds it on the class path, also in a folder."""
    if lost := lost_jars(settings, JAR):
        yield DoctorFinding(f"the jar beside the listener, {lost[0]}, is not there", BOOTSTRAP_LOG)
    elif not any(JAR in path or has_jar(path) for path in jars_in(settings)):
        yield DoctorFinding(
            f"no setting names {JAR}.jar beside the listener: {WITHOUT_JAR} are not reported",
            f"add it to {' or '.join(JARS)}: docs/producers/spark.md",
        )


def jars_in(settings: Settings) -> list[str]:
    """The jars and folders that the settings put on the driver's class path."""
    named = [jar for setting, separator in JARS.items() for jar in settings.get(setting, "").split(separator)]
    return [path.strip().removeprefix("file:") for path in named]


def has_jar(path: str) -> bool:
    """Whether a path of a class path is a folder of this machine, `/opt/jars/*`, with the jar beside the listener."""
    return path.endswith("/*") and any(Path(path[:-1]).glob(f"{JAR}*.jar"))


def lost_jars(settings: Settings, name: str) -> list[str]:
    """The jars with a name that are to be on this machine, and are not."""
    named = [path for path in jars_in(settings) if name in path.rpartition("/")[2]]
    return [path for path in named if path.startswith("/") and "*" not in path and not Path(path).is_file()]


def disabled_transport(settings: Settings, own: Settings) -> DoctorFinding | None:
    """Return a finding if the settings make the listener send nothing."""
    if any(name.startswith(TRANSPORT) for name in own) and f"{TRANSPORT}.type" not in own:
        what = "the listener's own file has no transport.type: the listener ignores the file, and sends nothing"
        return DoctorFinding(what, "write `type: http` under `transport:`", Blame.LISTENER)
    kind = settings.get(f"{TRANSPORT}.type")
    if kind != "http":
        what = f"{TRANSPORT}.type is {kind}" if kind else f"{TRANSPORT}.type is not set"
        return DoctorFinding(f"{what}: nothing is sent over HTTP", f"set {TRANSPORT}.type=http", Blame.LISTENER)
    auth = settings.get(f"{AUTH}.type")
    if auth != "api_key" and any(name.startswith(AUTH) for name in settings):
        what = f"{AUTH}.type is {auth}, not api_key" if auth else f"{AUTH}.type is not set: the listener sends no key"
        return DoctorFinding(what, f"set {AUTH}.type=api_key", Blame.KEY)
    if not is_address(settings.get(URL, "")):
        return DoctorFinding(
            f"{URL} is not an http or https URL", f"set {URL} to the output ApiUrl: https://...", Blame.LISTENER
        )
    return None


def gaps_by(settings: Settings) -> Iterator[DoctorFinding]:
    """What the listener does not send with these settings, though all is well with the transport."""
    is_adaptive = settings.get("spark.sql.adaptive.enabled", "true").lower() == "true"
    if DELTA in re.split(r"\s*,\s*", settings.get("spark.sql.extensions", "")) and is_adaptive:
        yield DoctorFinding(
            "with Delta's extension the listener sends nothing of a query with a shuffle, whatever table it writes",
            "set spark.sql.adaptive.enabled=false for jobs whose lineage is missing: docs/producers/spark.md",
        )
    for name, value in settings.items():
        if (catalog := JDBC_CATALOG.fullmatch(name)) and value.lower() in ("jdbc", JDBC_IMPLEMENTATION):
            yield DoctorFinding(
                f"the listener names no table of the Iceberg catalog {catalog[1]}, which is kept over JDBC",
                "use another type of catalog, such as hive, glue or rest: docs/producers/spark.md",
            )
