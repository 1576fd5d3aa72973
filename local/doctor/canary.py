"""A run that is posted and read back, up and down: what a listener does, and what a person asks."""

import time
import uuid
from datetime import UTC, datetime
from typing import Any

from local.doctor.client import LINEAGE, Answer, Client
from local.doctor.finding import Blame, Finding, Ill

NAMESPACE = "headwater-doctor"
JOB, SOURCE, TARGET = "canary", "canary/source", "canary/target"
SEEN_SECONDS = 30
FORBIDDEN = 403
LINE, SHOWN = "\n", 80
"""Of what a stranger answers, the beginning."""
LISTENER_SECONDS = 5
"""How long the Spark listener waits for an answer."""
PRODUCER = "https://github.com/headwater-lineage/headwater/doctor"


def posted(client: Client, namespace: str) -> tuple[str, list[Finding]]:
    """Post a run, and return its id. Raises Ill if it is not taken, with what is to blame."""
    run_id = str(uuid.uuid4())
    slowest = 0.0
    for kind in ("START", "COMPLETE"):
        answer = client.post(event(kind, run_id, namespace))
        if answer.status != 201:
            raise Ill(refusal(client, answer, namespace))
        slowest = max(slowest, answer.seconds)
    return run_id, [too_slow(slowest)] if slowest > LISTENER_SECONDS else []


def read_back(client: Client, namespace: str, run_id: str) -> None:
    """Find the run that was posted, up and down. Raises Ill if it is not to be found."""
    wait_until_seen(client, namespace, run_id)
    for start, direction in ((TARGET, "upstream"), (SOURCE, "downstream")):
        answer = client.get("lineage", nodeId=f"dataset:{namespace}:{start}", direction=direction)
        names = {each["data"]["name"] for each in answer.body["graph"]} if answer.status == 200 else set()
        if not {SOURCE, JOB, TARGET} <= names:
            raise Ill(Finding(f"the canary is folded, but not found {direction}", "see lookup's log", Blame.STACK))


def event(kind: str, run_id: str, namespace: str) -> dict[str, Any]:
    return {
        "eventTime": datetime.now(UTC).isoformat(),
        "eventType": kind,
        "producer": PRODUCER,
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": run_id},
        "job": {"namespace": namespace, "name": JOB},
        "inputs": [{"namespace": namespace, "name": SOURCE}],
        "outputs": [{"namespace": namespace, "name": TARGET}],
    }


def wait_until_seen(client: Client, namespace: str, run_id: str) -> None:
    deadline = time.monotonic() + SEEN_SECONDS
    while True:
        answer = client.get("jobs", "runs", run_id)
        if answer.status == 200 and answer.body["state"] == "COMPLETED":
            return
        if answer.status == FORBIDDEN:
            fix = "give the doctor one with the scope read. Jobs need none: --spark-defaults tries what those have"
            raise Ill(Finding("the run was taken, but the key may not read it back", fix, Blame.KEY))
        if answer.status not in (200, 404, 503):
            raise Ill(refusal(client, answer, namespace))
        if time.monotonic() > deadline:
            what = f"the canary was taken, but is not in the graph after {SEEN_SECONDS} s"
            fix = "see normalise's log, the queue's age and the dead-letter queue: docs/operating.md"
            raise Ill(Finding(what, fix, Blame.STACK))
        time.sleep(0.3)


def too_slow(seconds: float) -> Finding:
    what = f"an event was answered after {seconds:.1f} s; the Spark listener gives up after {LISTENER_SECONDS} s"
    return Finding(what, "see the latency and throttles of ingest, and what lies between here and there", Blame.NETWORK)


def refusal(client: Client, answer: Answer, namespace: str) -> Finding:
    """What is to blame for an answer that is not the wanted one."""
    if answer.status == 0:
        return no_answer(client, str(answer.body))
    if answer.status in (404, 405):
        return wrong_path(client)
    if not isinstance(answer.body, dict) or answer.status in range(200, 400):
        what = f"answered {answer.status}: {str(answer.body).partition(LINE)[0][:SHOWN]}"
        return Finding(what, "is this Headwater? It should be the output ApiUrl, over https", Blame.PATH)
    said = answer.body.get("message", "")
    if answer.status == 401:
        fix = "put one that is in the secret, and not expired, where this one is from: docs/operating.md"
        return Finding(f"the key is not known: {said}", fix, Blame.KEY)
    if answer.status == FORBIDDEN:
        fix = f"it needs the scope ingest (to read back: read), and the namespace {namespace} or another by --namespace"
        return Finding(f"the key may not do that: {said}", fix, Blame.KEY)
    return Finding(
        f"answered {answer.status}: {said}", "see the logs of the functions, and docs/operating.md", Blame.STACK
    )


def no_answer(client: Client, said: str) -> Finding:
    if "SSL" in said:
        fix = "is it http:// and not https://, as for the stack of `make up`? Does this machine trust who signed it?"
        return Finding(f"{client.url} does not speak TLS as it should: {said}", fix, Blame.NETWORK)
    fix = "is the URL the output ApiUrl? From a private subnet: a NAT gateway, and port 443 out (emr_jobs/cluster)"
    return Finding(f"{client.url} has no answer: {said}", fix, Blame.NETWORK)


def wrong_path(client: Client) -> Finding:
    """An API behind a stage or a proxy has a path, a $default stage has none; jobs may have been given either."""
    what = f"there is no {client.url}{client.lineage}"
    root = client.at_root()
    if root == client or root.get("namespaces", limit=1).status not in (200, 401, 403):
        return Finding(what, "take the output ApiUrl as it is, with its stage if it has one", Blame.PATH)
    if client.url == root.url:
        fix = f"set spark.openlineage.transport.endpoint to {LINEAGE}, and let the listener's own file name no path"
    else:
        fix = f"drop the path: it is {root.url}. In the listener's own file, too, where a path is taken as it is"
    return Finding(what, fix, Blame.PATH)
