"""Sends generated requests of every route to `headwater serve`: `python -m tests.serve.fuzz SCHEMATHESIS`.

The requests follow /openapi.json, or break it. No response may be a 5xx, take more than two seconds, or differ from the
document in its status, its content type or its members. The first argument is the program schemathesis, further ones
are its options. It prints its seed: `--seed=7` sends the same requests again.
"""

import gzip
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.serve.process import ROOT, ServeProcess

EVENTS = ROOT / "tests" / "fixtures" / "spark-3.5" / "orders.jsonl"
CHECKS = ("not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance")
CASES = 40
"""Generated requests of a route, beside those that cover each parameter."""
SECONDS = 2


def main(schemathesis: str, *options: str) -> int:
    with (
        tempfile.TemporaryDirectory(prefix="headwater-fuzz-") as folder,
        ServeProcess(Path(folder) / "fuzz.db", "--open") as server,
    ):
        events = b"[" + b",".join(EVENTS.read_bytes().splitlines()) + b"]"
        headers = {"content-type": "application/json", "content-encoding": "gzip"}
        reply = server.request("POST", "/api/v1/lineage/batch", gzip.compress(events), headers)
        if reply.status != 200:
            raise SystemExit(f"the recorded events were answered {reply.status}: {reply.content!r}")
        command = [
            *(schemathesis, "run", f"{server.url}/api/v1/openapi.json", "--url", server.url),
            *("--checks", ",".join(CHECKS), "--max-response-time", str(SECONDS)),
            *("--max-examples", str(CASES), "--warnings", "off", *options),
        ]
        return subprocess.run(command, cwd=folder, check=False).returncode  # noqa: S603


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
