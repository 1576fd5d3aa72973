"""Golden answers: what the last release answered on the golden items of each released version (tests/store/golden.py).

A release writes them anew, after its golden items: `python -m tests.lookup.golden_answers`, once, before its tag. It
repeats the requests of the release before, and those of MORE.
"""

import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from headwater.http.request import ApiRequest
from headwater.store.memory import MemoryTable
from tests.lookup.requests import ANYONE, NOON, response_to
from tests.store import golden

FOLDER = Path(__file__).parents[1] / "fixtures" / "answers"
MORE: tuple[tuple[str, Mapping[str, str]], ...] = (
    ("runs", {}),
    ("runs", {"limit": "2"}),
    ("search/groups", {"q": "orders"}),
    ("search/groups", {"q": "amount"}),
    ("diff", {"from": "2026-11-21T22:31:00Z", "to": "2026-11-22T00:00:00Z"}),
    (
        "diff",
        {"from": "2026-01-01T00:00:00Z", "to": "2026-11-22T00:00:00Z", "nodeId": "dataset:file:/data/lake/retyped"},
    ),
    ("insights", {}),
    ("jobs/runs/01a2003b-9a41-78da-addb-d0d5999e6019/events", {}),
    ("namespaces/file/datasets", {"withUsage": "true"}),
)
"""Some lookups that came with 0.2.0."""


class GoldenAnswer(NamedTuple):
    """A request, and the status and body that the last release answered with."""

    path: str
    query: Mapping[str, str]
    status: int
    body: str


def answers_of(release: str) -> list[GoldenAnswer]:
    lines = gzip.decompress((FOLDER / f"{release}.jsonl.gz").read_bytes()).decode().splitlines()
    return [GoldenAnswer(**json.loads(line)) for line in lines]


def status_and_body(table: MemoryTable, path: str, query: Mapping[str, str]) -> tuple[int, str]:
    url = path if path.startswith("/") else f"/api/v1/{path}"
    answer = response_to(table, ApiRequest(ANYONE, "GET", url, query, received_at=NOON)).to_gateway()
    return answer["statusCode"], answer["body"]


def main() -> None:
    last = max(path.name for path in FOLDER.iterdir()).removesuffix(".jsonl.gz")
    requests = [(given.path, given.query) for given in answers_of(last)]
    requests += [request for request in MORE if request not in requests]
    for release in golden.RELEASES:
        table = golden.table_of(release)
        answers = [GoldenAnswer(path, query, *status_and_body(table, path, query)) for path, query in requests]
        lines = [json.dumps(answer._asdict(), sort_keys=True, ensure_ascii=False) for answer in answers]
        content = "".join(f"{line}\n" for line in lines).encode()
        (FOLDER / f"{release}.jsonl.gz").write_bytes(gzip.compress(content, 9, mtime=0))


if __name__ == "__main__":
    main()
