"""The doctor's command line: `headwater doctor`, or `make doctor`."""

import argparse
import json
import os
import sys
from pathlib import Path

from local.doctor.arrivals import Arrivals
from local.doctor.canary import FORBIDDEN, NAMESPACE, posted, read_back
from local.doctor.checks import findings
from local.doctor.client import Client, as_header, is_address
from local.doctor.finding import Blame, Finding, Ill
from local.doctor.listener import Listener, listener_of
from local.layout import Layout

URL, KEY = "HEADWATER_URL", "HEADWATER_API_KEY"


def main(arguments: list[str] | None = None) -> int:
    """Examine, tell, and return 0 if nothing keeps the graph empty, 1 if something does, 2 if nothing can be asked."""
    options = parser().parse_args(arguments)
    try:
        return examine_listener(options) if options.spark_defaults else examine(client_of(options), options.namespace)
    except (OSError, ValueError) as error:
        print(f"cannot tell what to examine: {error}", file=sys.stderr)
        return 2
    except Ill as ill:
        print("\n".join(ill.finding.lines()))
        return 1


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="headwater doctor", description=__doc__)
    top.add_argument("--url", default=os.environ.get(URL), help=f"of the API, as ApiUrl says (default: ${URL})")
    top.add_argument(
        "--key-file", type=Path, help=f"file with a key of scopes ingest and read (default: ${KEY} itself)"
    )
    top.add_argument("--namespace", help="that jobs should report in; the canary is posted there, too")
    top.add_argument(
        "--spark-defaults",
        type=Path,
        metavar="FILE",
        help="Spark's settings where a driver runs, such as /etc/spark/conf/spark-defaults.conf: "
        "post as the listener would by these, to its URL, with its key, in its namespace",
    )
    return top


def client_of(options: argparse.Namespace) -> Client:
    """Return the API to examine, the stack of `make up` if none is named. A key is no argument: `ps` shows those."""
    if not options.url:
        endpoint = Layout.here().endpoint
        if not endpoint.is_file():
            raise ValueError(f"set {URL} and {KEY}, or run `make up`")
        found = json.loads(endpoint.read_text(encoding="utf-8"))
        return Client(found["url"], key_of(options) or found["key"])
    if not is_address(options.url):
        raise ValueError(f"{options.url} is no URL of http or https")
    return Client(options.url.rstrip("/"), key_of(options))


def key_of(options: argparse.Namespace) -> str:
    key = options.key_file.read_text(encoding="utf-8") if options.key_file else os.environ.get(KEY, "")
    return as_header(str(key).strip())


def examine(client: Client, namespace: str | None) -> int:
    print(f"examining {client.url}")
    canary = namespace or NAMESPACE
    run_id, found = posted(client, canary)
    read_back(client, canary, run_id)
    return tell(client, namespace, found)


def examine_listener(options: argparse.Namespace) -> int:
    """Examine what a listener does. Its key mostly may not read: then another has to, for what has arrived."""
    listener = listener_of(options.spark_defaults, os.environ)
    print(f"examining {listener.client.url}{listener.client.lineage}, as the listener does in {listener.namespace}")
    if options.namespace not in (None, listener.namespace):
        raise Ill(elsewhere(listener, options.namespace))
    run_id, found = posted(listener.client, listener.namespace)
    print("[well] the listener's settings are good: a run was posted by them")
    reader = Client(listener.client.url, key_of(options) or listener.client.key)
    if reader.key == listener.client.key and reader.get("namespaces", limit=1).status == FORBIDDEN:
        print(f"[note] its key may not read: put one that may into {KEY} for what has arrived")
        return 0
    read_back(reader, listener.namespace, run_id)
    return tell(reader, listener.namespace, found)


def elsewhere(listener: Listener, namespace: str) -> Finding:
    what = f"the listener reports in {listener.namespace}, not in {namespace}"
    return Finding(what, "set spark.openlineage.namespace, or ask for the one that jobs use", Blame.NAMESPACE)


def tell(client: Client, namespace: str | None, found: list[Finding]) -> int:
    print("[well] a run was posted, and found upstream and downstream")
    arrivals = Arrivals.of(client)
    for (producer, of), time in sorted(arrivals.last().items()):
        print(f"[last event] {time} in {of} by {producer}")
    found += findings(client, arrivals, namespace)
    for each in found:
        print("\n".join(each.lines()))
    if arrivals.is_cut:
        print("[note] there is more than was looked at: the newest thousand of each")
    is_ill = any(each.blame for each in found)
    print("something keeps the graph empty" if is_ill else "nothing keeps the graph from filling")
    return 1 if is_ill else 0


if __name__ == "__main__":
    sys.exit(main())
