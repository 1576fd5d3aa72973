"""The doctor's command line: `headwater doctor`, or `make doctor`."""

import argparse
import json
import os
import sys
from pathlib import Path

from local.doctor.arrivals import Arrivals
from local.doctor.canary import NAMESPACE, examine
from local.doctor.checks import findings
from local.doctor.client import Client
from local.doctor.finding import Ill
from local.layout import Layout

URL, KEY = "HEADWATER_URL", "HEADWATER_API_KEY"


def main(arguments: list[str] | None = None) -> int:
    """Examine, tell, and return 0 if nothing keeps the graph empty, 1 if something does, 2 if nothing can be asked."""
    options = parser().parse_args(arguments)
    try:
        client = client_of(options)
    except (OSError, ValueError) as error:
        print(f"cannot tell what to examine: {error}", file=sys.stderr)
        return 2
    print(f"examining {client.url}")
    try:
        return tell(client, options.namespace)
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
    return top


def client_of(options: argparse.Namespace) -> Client:
    """Return the API to examine, the stack of `make up` if none is named. A key is no argument: `ps` shows those."""
    if not options.url:
        endpoint = Layout.here().endpoint
        if not endpoint.is_file():
            raise ValueError(f"set {URL} and {KEY}, or run `make up`")
        found = json.loads(endpoint.read_text(encoding="utf-8"))
        return Client(found["url"], found["key"])
    if not options.url.startswith(("http://", "https://")):
        raise ValueError(f"{options.url} is no URL of http or https")
    key = options.key_file.read_text(encoding="utf-8") if options.key_file else os.environ.get(KEY, "")
    return Client(options.url.rstrip("/"), key.strip())


def tell(client: Client, namespace: str | None) -> int:
    found = examine(client, namespace or NAMESPACE)
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
