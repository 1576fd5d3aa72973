"""Checks of the events and jobs that have arrived."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice

from headwater.cli.api import Api
from headwater.cli.doctor.arrivals import Arrivals, Document, job_of
from headwater.cli.doctor.engines import island_engines, one_job_a_query, refusals
from headwater.cli.doctor.finding import Blame, DoctorFinding, first_few
from headwater.cli.doctor.isolated_jobs import dataset_ids, isolated_jobs
from headwater.cli.doctor.same_tables import same_tables
from headwater.cli.doctor.spark_gaps import jar_gaps, spark_gaps
from headwater.openlineage.instant import NEVER, parse_instant
from headwater.read.frontier import BlindSpot, Frontier, blind_spots

LONG = timedelta(hours=1)
"""A RUNNING run without an event for this time has probably ended."""
PARENTS = 50
"""The number of parent runs that are looked up, with one request for each."""
FLINK, ENDS = "/integration/flink", {"COMPLETE", "FAIL", "ABORT"}
NAMELESS = (": empty", ": missing")
REDACTED = ": redacted "
"""The ends of the paths of datasets that were set aside for their names."""
SUSPICIOUS = {
    r"hive://ip-": "the host of a temporary cluster: map the name to the Glue catalog, by NamespaceAliases",
    r"s3[an]://": "the same as s3, but sent by an older client or listener: upgrade the listener",
    r"file$|file:": "files of one machine, which other machines cannot read: write paths with s3:// or hdfs://",
    r"hdfs://ip-": "the host of a temporary cluster: use the name of the name service, or write to S3",
    r"(kafka|jdbc)://localhost|//127\.": "an address that means another host on each machine: use the host's name",
}


def nothing_arrived(arrivals: Arrivals, namespace: str | None) -> Iterator[DoctorFinding]:
    """The canary arrived, but no events of jobs: the jobs send none, or send events in another namespace."""
    if not arrivals.events:
        yield DoctorFinding(
            "no event has arrived except the canary's, as far as this key can see",
            "check spark.extraListeners, the listener's jar, and spark.openlineage.transport.type (`http`): run "
            "the doctor with --spark-defaults on the driver's host, and look for OpenLineage in the driver's log",
            Blame.LISTENER,
        )
    elif namespace and not any(event.get("job", {}).get("namespace") == namespace for event in arrivals.events):
        others = sorted({event["job"]["namespace"] for event in arrivals.events if "job" in event})
        what = f"no event has arrived in the namespace {namespace}, but in {first_few(others)}"
        yield DoctorFinding(
            what, "set spark.openlineage.namespace, or pass the jobs' namespace as --namespace", Blame.NAMESPACE
        )


def no_dataset(arrivals: Arrivals) -> Iterator[DoctorFinding]:
    """Events arrived, and none of them names a dataset: the graph has jobs and no edge."""
    named = [event for event in arrivals.events if event.get("inputs") or event.get("outputs") or "dataset" in event]
    jobs = [job["name"] for job in arrivals.jobs]
    if arrivals.events and not named and not any(job["inputs"] or job["outputs"] for job in arrivals.jobs):
        yield DoctorFinding(
            f"{len(arrivals.events)} events have arrived, and not one names a dataset: {first_few(jobs)}",
            "the listener does not know the jobs' connector or catalog (Iceberg with type=jdbc, for one): report their "
            "datasets with layers/headwater/headwater/spark; docs/producers/spark.md lists what it does not report",
            Blame.LISTENER,
        )


def without_datasets(arrivals: Arrivals) -> Iterator[DoctorFinding]:
    if names := [job["name"] for job in jobs_without_datasets(arrivals)]:
        fix = "the listener may not know a connector: report its datasets with layers/headwater/headwater/spark"
        yield DoctorFinding(f"jobs that name no dataset: {first_few(names)}", fix)


def jobs_without_datasets(arrivals: Arrivals) -> list[Document]:
    """Jobs without inputs and outputs. Applications and DAGs are left out if a job that they started, or one that such
    a job started, names a dataset; and so are their children, since the application or DAG is reported."""
    parents = {job["name"]: job["parentJobName"] for job in arrivals.jobs}
    telling: set[str] = set()
    for job in arrivals.jobs:
        name = job["name"] if job["inputs"] or job["outputs"] else None
        while name and name not in telling:
            telling.add(name)
            name = parents.get(name)
    reported = {job_of(event) for event in arrivals.events}
    first = [job for job in arrivals.jobs if job["parentJobName"] not in parents and job["name"] not in telling]
    return [job for job in first if (job["namespace"], job["name"]) in reported]


def frontier_of(arrivals: Arrivals) -> Frontier:
    """What the events that have arrived leave unseen of the jobs' lineage."""
    makers = {(job["namespace"], job["name"]) for job in arrivals.jobs if job["inputs"] and job["outputs"]}
    writing = {job_of(event): False for event in arrivals.events if event.get("outputs")}
    writing |= {job_of(event): True for event in arrivals.events if any(map(_tells_columns, event.get("outputs", ())))}
    silent = [job for job, tells in writing.items() if job in makers and not tells]
    empty = [(job["namespace"], job["name"]) for job in jobs_without_datasets(arrivals)]
    datasets = set().union(*map(dataset_ids, arrivals.jobs))
    since = min((parse_instant(event["eventTime"]) for event in arrivals.events), default=NEVER)
    unseen = blind_spots(
        (BlindSpot.JOBS_WITHOUT_COLUMNS, [f"job:{namespace}:{name}" for namespace, name in silent]),
        (BlindSpot.JOBS_WITHOUT_DATASETS, [f"job:{namespace}:{name}" for namespace, name in empty]),
        (BlindSpot.BEYOND, int(arrivals.is_cut)),
    )
    return Frontier(since, len(arrivals.jobs), len(datasets), unseen)


def _tells_columns(output: Document) -> bool:
    return "columnLineage" in (output.get("facets") or {})


def never_ended(arrivals: Arrivals, now: datetime) -> Iterator[DoctorFinding]:
    """Jobs whose latest run is RUNNING, and has had no event for a long time."""
    runs = [(job["name"], job["latestRun"]) for job in arrivals.jobs if job["latestRun"]]
    names = [name for name, run in runs if run["state"] == "RUNNING" and is_silent(run, now)]
    if names:
        fix = "the run was killed, or its host was lost: the next run of the job replaces the state"
        yield DoctorFinding(f"running jobs without an event for over an hour: {first_few(names)}", fix)


def is_silent(run: Document, now: datetime) -> bool:
    return now - datetime.fromisoformat(run["updatedAt"]) > LONG


def unseen_parents(arrivals: Arrivals, client: Api) -> Iterator[DoctorFinding]:
    """Parent runs that other runs name, and that never sent an event."""
    seen = {run_id for run_id, _ in arrivals.runs()}
    named = {}
    for _, event in arrivals.runs():
        parent = event["run"].get("facets", {}).get("parent", {})
        if run_id := parent.get("run", {}).get("runId"):
            named[run_id] = parent.get("job", {}).get("name", "")
    unknown = islice(((run_id, job) for run_id, job in named.items() if run_id not in seen), PARENTS)
    unseen = sorted({job for run_id, job in unknown if not has_reported(client, run_id)})
    if unseen:
        fix = "let Airflow report to the same URL, with a key of its own: OPENLINEAGE_URL and OPENLINEAGE_API_KEY"
        yield DoctorFinding(f"runs name parents that never reported: {first_few(unseen)}", fix)


def has_reported(client: Api, run_id: str) -> bool:
    answer = client.get("jobs", "runs", run_id)
    return answer.status == 200 and bool(answer.body["facets"] or answer.body["jobVersion"])


def suspicious_names(arrivals: Arrivals) -> Iterator[DoctorFinding]:
    names = {*arrivals.namespaces}
    for event in arrivals.events:
        for dataset in [*event.get("inputs", []), *event.get("outputs", [])]:
            names.add(dataset["namespace"])
    for pattern, why in SUSPICIOUS.items():
        matching = sorted(name for name in names if re.match(pattern, name) or re.search(f"(?<=:){pattern}", name))
        if matching:
            yield DoctorFinding(f"a suspicious name: {first_few(matching)}", why)


def set_aside(arrivals: Arrivals) -> Iterator[DoctorFinding]:
    """Keys that spoke of the namespaces of others: what they said beyond the names was set aside."""
    paths: dict[str, set[str]] = {}
    for key, _, path in noted_paths(arrivals):
        if not path.endswith(NAMELESS) and REDACTED not in path:
            paths.setdefault(key, set()).add(path)
    for key, of_key in sorted(paths.items()):
        yield DoctorFinding(
            f"the key {key} describes namespaces that it may not write; set aside: {first_few(sorted(of_key))}",
            "give the key these namespaces (`write`), if they are its own; docs/access.md has the rule",
        )


def nameless_datasets(arrivals: Arrivals) -> Iterator[DoctorFinding]:
    """Jobs with datasets that were set aside because they have no usable name."""
    jobs = sorted({job for _, job, path in noted_paths(arrivals) if path.endswith(NAMELESS) and ".facets." not in path})
    if jobs:
        yield DoctorFinding(
            f"datasets without a usable name were set aside, sent by {first_few(jobs)}",
            "Flink sends connectors without lineage of their own (datagen, filesystem) with an empty namespace: use a "
            "connector with lineage, or report the dataset with layers/headwater/headwater/spark",
        )


def redacted_secrets(arrivals: Arrivals) -> Iterator[DoctorFinding]:
    """Jobs whose events had passwords, tokens or keys. None was kept, but the producer still sends them."""
    places = {f"{job}: {path}" for _, job, path in noted_paths(arrivals) if REDACTED in path}
    if places:
        yield DoctorFinding(
            f"secrets were replaced in {first_few(sorted(places))}",
            "keep them out of what producers send: parameters in place of literals in SQL, no environment variables in "
            "facets; docs/access.md lists what is replaced",
        )


def noted_paths(arrivals: Arrivals) -> Iterator[tuple[str, str, str]]:
    """What was set aside: the key, the job or dataset, and the path without indices."""
    for event in arrivals.events:
        subject = event.get("job") or event["dataset"]
        if note := (subject.get("facets") or {}).get("headwater_setAside"):
            for path in note["paths"]:
                yield note["key"], subject["name"], re.sub(r"\[\d+\]", "", path)


def flink_without_ends(arrivals: Arrivals) -> Iterator[DoctorFinding]:
    """Runs of Flink, of which none ever ended: without a setting, Flink's listener reports no end."""
    of_flink = [event for event in arrivals.events if FLINK in event["producer"] and "run" in event]
    runs = {event["run"]["runId"] for event in of_flink}
    if runs and not any(event.get("eventType") in ENDS for event in of_flink):
        yield DoctorFinding(
            f"{len(runs)} {'run' if len(runs) == 1 else 'runs'} of Flink, none ever ended",
            "set openlineage.enableDetachedJobTracking: true in Flink's configuration: without it the listener reports "
            "no end; docs/producers/flink.md has the settings",
            Blame.LISTENER,
        )


def findings(client: Api, arrivals: Arrivals, namespace: str | None) -> list[DoctorFinding]:
    return [
        *nothing_arrived(arrivals, namespace),
        *no_dataset(arrivals),
        *without_datasets(arrivals),
        *never_ended(arrivals, datetime.now(UTC)),
        *unseen_parents(arrivals, client),
        *suspicious_names(arrivals),
        *set_aside(arrivals),
        *redacted_secrets(arrivals),
        *nameless_datasets(arrivals),
        *flink_without_ends(arrivals),
        *spark_gaps(arrivals),
        *jar_gaps(arrivals),
        *refusals(client),
        *one_job_a_query(arrivals),
        *isolated_jobs(arrivals),
        *island_engines(arrivals),
        *same_tables(arrivals),
    ]
