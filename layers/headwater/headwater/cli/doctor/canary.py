"""The canary: a run that the doctor posts as a listener does, and reads back upstream and downstream."""

import time
import uuid
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from headwater.cli.api import LINEAGE, Api
from headwater.cli.doctor.finding import Blame, Diagnosis, DoctorFinding
from headwater.cli.refusal import Response
from headwater.openlineage.own_events import OwnProducer

NAMESPACE = "headwater-doctor"
JOB, SOURCE, TARGET = "canary", "canary/source", "canary/target"
KIND = "CANARY"
SEEN_SECONDS, ALERT_SECONDS = 30, 60
FORBIDDEN = 403
LINE, SHOWN = "\n", 80
"""Of a response that is not Headwater's, the first `SHOWN` characters of the first line are shown."""
LISTENER_SECONDS = 5
"""How long the Spark listener waits for a response."""
DOCTOR = OwnProducer("doctor")
_WRONG_ENTRY = "; an entry of the keys that is wrong is refused: see `headwater key list`, or the log of authorise"


def post_canary(client: Api, namespace: str) -> tuple[str, list[DoctorFinding]]:
    """Post a run, and return its id and the findings. Raises Diagnosis if an event is refused."""
    run_id = str(uuid.uuid4())
    responses = [posted(client, event("START", run_id, namespace), namespace)]
    end = event("COMPLETE", run_id, namespace)
    zipped = client.post_gzipped(end)
    responses.append(zipped if zipped.status == 201 else posted(client, end, namespace))
    slowest = max(response.seconds for response in responses)
    return run_id, [
        *([] if zipped.status == 201 else [compression_refused(zipped)]),
        *([too_slow(slowest)] if slowest > LISTENER_SECONDS else []),
    ]


def posted(client: Api, document: dict[str, Any], namespace: str) -> Response:
    """The response to an event that is not compressed. Raises Diagnosis if it is refused."""
    response = client.post(document)
    if response.status != 201:
        raise Diagnosis(refusal(client, response, namespace))
    return response


def read_back(client: Api, namespace: str, run_id: str, seconds: float = SEEN_SECONDS) -> None:
    """Look the posted run up, upstream and downstream. Raises Diagnosis if the run is not in the graph."""
    wait_until_seen(client, namespace, run_id, seconds)
    deadline = time.monotonic() + seconds
    for start, direction in ((TARGET, "upstream"), (SOURCE, "downstream")):
        while not {SOURCE, JOB, TARGET} <= linked(client, namespace, start, direction):
            if time.monotonic() > deadline:
                what = f"the canary is in the graph, but not found {direction}"
                raise Diagnosis(DoctorFinding(what, "see lookup's log", Blame.STACK))
            time.sleep(0.3)


def wait_for_alert(client: Api, namespace: str, seconds: float = ALERT_SECONDS) -> float:
    """Post a run that fails, and return after how many seconds its alert was raised. Raises Diagnosis without one."""
    run_id, begun = str(uuid.uuid4()), time.monotonic()
    for kind in ("START", "FAIL"):
        posted(client, event(kind, run_id, namespace), namespace)
    while time.monotonic() < begun + seconds:
        response = client.get("alerts", namespace=namespace, limit=100)
        raised = response.body["alerts"] if response.status == 200 else []
        if any(alert["details"].get("run", {}).get("runId") == run_id for alert in raised):
            return time.monotonic() - begun
        time.sleep(0.3)
    what = f"a run of the canary failed, and no alert of it was raised within {seconds:.0f} s"
    fix = "see the log of alerts and the age of its oldest change: docs/operating.md"
    raise Diagnosis(DoctorFinding(what, fix, Blame.STACK))


def take_out(client: Api, namespace: str) -> list[DoctorFinding]:
    """Delete the canary's job and datasets, and the namespace if it is the doctor's own. Return a note if the key may
    not."""
    nodes = (("jobs", JOB), ("datasets", SOURCE), ("datasets", TARGET))
    refused = [name for kind, name in nodes if client.delete("namespaces", namespace, kind, name).status != 200]
    if not refused:
        if namespace == NAMESPACE:
            client.delete("namespaces", namespace)
        return []
    what = f"the canary stays in the graph ({', '.join(refused)} in {namespace}): the key may not delete"
    return [DoctorFinding(what, "give the doctor a key with the scope admin")]


def linked(client: Api, namespace: str, start: str, direction: str) -> set[str]:
    """The names of the nodes upstream or downstream. A fold writes a run some milliseconds before the links."""
    response = client.get("lineage", nodeId=f"dataset:{namespace}:{start}", direction=direction)
    return {node["data"]["name"] for node in response.body["graph"]} if response.status == 200 else set()


def event(kind: str, run_id: str, namespace: str) -> dict[str, Any]:
    """An event of the canary, whose job and datasets say what they are: a canary that stays is counted nowhere."""
    of_job = DOCTOR.facet("2-0-4/JobTypeJobFacet", processingType="BATCH", integration="HEADWATER", jobType=KIND)
    of_dataset = {"datasetType": DOCTOR.facet("1-0-1/DatasetTypeDatasetFacet", datasetType=KIND)}
    return {
        **DOCTOR.event("RunEvent", datetime.now(UTC).isoformat()),
        "eventType": kind,
        "run": {"runId": run_id},
        "job": {"namespace": namespace, "name": JOB, "facets": {"jobType": of_job}},
        "inputs": [{"namespace": namespace, "name": SOURCE, "facets": of_dataset}],
        "outputs": [{"namespace": namespace, "name": TARGET, "facets": of_dataset}],
    }


def wait_until_seen(client: Api, namespace: str, run_id: str, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while True:
        response = client.get("jobs", "runs", run_id)
        if response.status == 200 and response.body["state"] == "COMPLETED":
            return
        # API Gateway says Forbidden itself, without a code, while the authoriser fails.
        if response.status == FORBIDDEN and "code" in response.body:
            fix = "give the doctor a key with the scope read. --spark-defaults tries the key of the jobs"
            raise Diagnosis(DoctorFinding("the run was accepted, but the key may not read the run", fix, Blame.KEY))
        if response.status not in (200, FORBIDDEN, 404, 503):
            raise Diagnosis(refusal(client, response, namespace))
        if time.monotonic() > deadline:
            what = f"the canary was taken, but is not in the graph after {seconds} s"
            fix = "see normalise's log, the queue's age and the dead-letter queue: docs/operating.md"
            raise Diagnosis(DoctorFinding(what, fix, Blame.STACK))
        time.sleep(0.3)


def compression_refused(response: Response) -> DoctorFinding:
    """The finding for an API that accepts an event, and refuses the next one only because it is compressed."""
    message = response.body.get("message", "") if isinstance(response.body, dict) else response.body
    what = f"plain events are accepted, and events compressed with gzip are not ({response.status}: {message})"
    fix = (
        "remove spark.openlineage.transport.compression from the listener's settings, and `compression` from "
        "openlineage.yml; then look at what lies between this host and the API: a proxy may change bodies"
    )
    return DoctorFinding(what, fix, Blame.COMPRESSION)


def too_slow(seconds: float) -> DoctorFinding:
    what = f"an event was answered after {seconds:.1f} s; the Spark listener gives up after {LISTENER_SECONDS} s"
    return DoctorFinding(
        what, "see the latency and throttles of ingest, and the network between this host and the API", Blame.NETWORK
    )


def refusal(client: Api, response: Response, namespace: str) -> DoctorFinding:
    """Return the finding for a response that is not the expected response."""
    if response.status == 0:
        return no_answer(client, response)
    if response.status in (404, 405):
        return wrong_path(client)
    if not isinstance(response.body, dict) or response.status in range(200, 400):
        what = f"the response was {response.status}: {str(response.body).partition(LINE)[0][:SHOWN]}"
        return DoctorFinding(
            what, "is this Headwater? Use the output ApiUrl, over https, or what `headwater serve` prints", Blame.PATH
        )
    message = response.body.get("message", "")
    if response.status == 401:
        failure = client.failure(response)
        return DoctorFinding(failure.what, f"{failure.steps[0]}{_WRONG_ENTRY}", Blame.KEY)
    if response.status == FORBIDDEN:
        fix = f"use a key with the scopes ingest and read for the namespace {namespace}, or pass --namespace"
        return DoctorFinding(f"the key lacks a scope or namespace: {message}", fix, Blame.KEY)
    return DoctorFinding(
        f"the response was {response.status}: {message}",
        "see the logs of the functions, or what `headwater serve` printed, and docs/operating.md",
        Blame.STACK,
    )


def no_answer(client: Api, response: Response) -> DoctorFinding:
    failure = client.failure(response)
    fix = failure.steps[0]
    if urlsplit(client.url).hostname not in ("127.0.0.1", "localhost"):
        fix += ". On AWS it is the output ApiUrl; a private subnet needs a NAT gateway, and port 443 outbound"
    return DoctorFinding(failure.what, fix, Blame.NETWORK)


def wrong_path(client: Api) -> DoctorFinding:
    """Return the finding for a wrong path in the URL. An API has a path behind a proxy or at a named stage, and none at
    the stage $default."""
    what = f"there is no {client.url}{client.lineage}"
    root = client.at_root()
    if root == client or root.get("namespaces", limit=1).status not in (200, 401, 403):
        return DoctorFinding(what, "use the output ApiUrl unchanged, with its stage if there is one", Blame.PATH)
    if client.url == root.url:
        fix = f"set spark.openlineage.transport.endpoint to {LINEAGE}, and remove the path from the listener's own file"
    else:
        fix = f"drop the path: it is {root.url}. Drop the path in the listener's own file, too"
    return DoctorFinding(what, fix, Blame.PATH)
