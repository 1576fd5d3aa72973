"""The doctor's command line: `headwater doctor`, or `make doctor`."""

import argparse
import os
import sys
from pathlib import Path

from headwater.cli.api import Api
from headwater.cli.command_line import command_parser
from headwater.cli.doctor.arrivals import Arrivals
from headwater.cli.doctor.canary import FORBIDDEN, NAMESPACE, post_canary, read_back, take_out, wait_for_alert
from headwater.cli.doctor.checks import findings, frontier_of
from headwater.cli.doctor.finding import Blame, Diagnosis, DoctorFinding, unusable
from headwater.cli.doctor.listener import Listener, listener_of
from headwater.cli.doctor.quota import few_copies
from headwater.cli.endpoint import KEY_VARIABLE, UnusableKey, add_server_options, api_of, key_of
from headwater.cli.failure import CommandFailure, reason_of
from headwater.read.frontier import Frontier

RECEIVED = "look whether it came to you. What cannot be delivered on AWS is in AlertDeadLetters, whose alarm rings"


def main(arguments: list[str] | None = None) -> int:
    """Print the findings. Return 0 if no fault keeps the graph empty, 1 if one does, 2 if no API can be examined."""
    options = parser().parse_args(arguments)
    try:
        if options.spark_defaults:
            return examine_listener(options)
        return examine(api_of(options.url, options.key_file), options.namespace, with_alert=options.alert)
    except (OSError, ValueError) as error:
        print(f"no API to examine: {reason_of(error)}", file=sys.stderr)
        return 2
    except UnusableKey as key:
        return print_findings([unusable(key)])
    except CommandFailure as failure:
        print("\n".join(failure.lines()), file=sys.stderr)
        return 2
    except Diagnosis as diagnosis:
        print("\n".join(diagnosis.finding.lines()))
        return 1


def parser() -> argparse.ArgumentParser:
    examples = ("headwater doctor --namespace prod", "headwater doctor --spark-defaults spark-defaults.conf")
    what, note = "Finds the cause of an empty or incomplete graph.", "The key needs the scopes ingest and read."
    parser = command_parser("doctor", what, *examples, note=note)
    add_server_options(parser)
    parser.add_argument("--namespace", metavar="NAME", help="namespace of the jobs; the test run is posted there, too")
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--alert",
        action="store_true",
        help="let a test run fail, and wait for its alert, which goes to everyone who gets alerts",
    )
    how.add_argument(
        "--spark-defaults",
        type=Path,
        metavar="FILE",
        help="a driver's Spark settings, such as /etc/spark/conf/spark-defaults.conf: the test run is posted with the "
        "listener's URL, key and namespace",
    )
    return parser


def examine(client: Api, namespace: str | None, *, with_alert: bool = False) -> int:
    print(f"examining {client.url}")
    canary_namespace = namespace or NAMESPACE
    run_id, canary_findings = post_canary(client, canary_namespace)
    try:
        read_back(client, canary_namespace, run_id)
        if with_alert:
            seconds = wait_for_alert(client, canary_namespace)
            print(f"[ok] a test run failed, and its alert was raised after {seconds:.0f} s: {RECEIVED}")
    finally:
        canary_findings += take_out(client, canary_namespace)
    return report(client, namespace, canary_findings)


def examine_listener(options: argparse.Namespace) -> int:
    """Post with the settings of a listener, then read. The listener's key usually lacks the scope read, so
    HEADWATER_API_KEY may hold another key for reading."""
    listener = listener_of(options.spark_defaults, os.environ)
    print(f"examining {listener.client.url}{listener.client.lineage}, as the listener does in {listener.namespace}")
    if options.namespace not in (None, listener.namespace):
        raise Diagnosis(other_namespace(listener, options.namespace))
    run_id, canary_findings = post_canary(listener.client, listener.namespace)
    canary_findings += listener.gaps
    print("[ok] the listener's settings are good: a run was posted with them")
    reader = Api(listener.client.url, key_of(options.key_file) or listener.client.key)
    if reader.key == listener.client.key and reader.get("namespaces", limit=1).status == FORBIDDEN:
        print(f"[note] its key may not read: put a key with the scope read into {KEY_VARIABLE} for the arrived events")
        print(f"[note] the canary stays in the graph, in {listener.namespace}: a key with the scope admin removes it")
        return print_findings(canary_findings)
    try:
        read_back(reader, listener.namespace, run_id)
    finally:
        canary_findings += take_out(reader, listener.namespace)
    return report(reader, listener.namespace, canary_findings)


def other_namespace(listener: Listener, namespace: str) -> DoctorFinding:
    what = f"the listener reports in {listener.namespace}, not in {namespace}"
    return DoctorFinding(
        what, "set spark.openlineage.namespace, or pass the jobs' namespace as --namespace", Blame.NAMESPACE
    )


def report(client: Api, namespace: str | None, canary_findings: list[DoctorFinding]) -> int:
    print("[ok] a run was posted, and found upstream and downstream")
    arrivals = Arrivals.of(client)
    for (producer, of), time in sorted(arrivals.last().items()):
        print(f"[last event] {time} in {of} by {producer}")
    status = print_findings([*canary_findings, *few_copies(client.url), *findings(client, arrivals, namespace)])
    if arrivals.is_cut:
        print("[note] only the newest thousand events and the newest thousand jobs were examined")
    print("a fault keeps the graph empty" if status else no_fault(frontier_of(arrivals)))
    return status


def no_fault(frontier: Frontier) -> str:
    """That no fault was found; with what the events leave unseen, if they do."""
    if not frontier.sentence:
        return "no fault keeps the graph empty"
    return f"no fault is known that keeps the graph empty. {frontier.sentence}"


def print_findings(reported: list[DoctorFinding]) -> int:
    """Print findings. Return 1 if one of them keeps the graph empty."""
    for finding in reported:
        print("\n".join(finding.lines()))
    return int(any(finding.blame for finding in reported))


if __name__ == "__main__":
    sys.exit(main())
