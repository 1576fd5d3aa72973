"""The check before Spark starts: the doctor's canary, posted as the listener will post."""

from headwater.cli.doctor.canary import FORBIDDEN, JOB, post_canary, read_back, take_out
from headwater.cli.doctor.finding import Blame, Diagnosis
from headwater.cli.doctor.listener import Listener

SECONDS = 10
"""How long the canary may take into the graph. An event that was taken is safe, so the program need not wait longer."""


def check(listener: Listener) -> str:
    """Return what became of the canary. Raises Diagnosis with a finding that keeps the graph empty."""
    client, namespace = listener.client, listener.namespace
    run_id, findings = post_canary(client, namespace)
    for finding in findings:
        raise Diagnosis(finding)
    if client.get("namespaces", limit=1).status == FORBIDDEN:
        return f"the canary was taken, and stays as the job {JOB}, since the key may not read"
    try:
        read_back(client, namespace, run_id, SECONDS)
    except Diagnosis as diagnosis:
        if diagnosis.finding.blame is not Blame.STACK:
            raise
        return f"{diagnosis.finding.what}: `headwater doctor` may say why"
    if take_out(client, namespace):
        return f"the canary was found in the graph, and stays as the job {JOB}, since the key may not delete"
    return "the canary was found in the graph and taken out"
