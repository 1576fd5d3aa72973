"""Requests that the API refuses, each with the status and a part of the message."""

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from tests import factory

BATCH = "/api/v1/lineage/batch"
MIB = 1024 * 1024
EVERYTHING = "a key for everything"


@dataclass(frozen=True)
class Bad:
    """`key` goes into Authorization, unless it is empty. API Gateway itself refuses a request with `by_gateway`."""

    what: str
    status: int
    message: str
    body: bytes = b""
    method: str = "POST"
    path: str = "/api/v1/lineage"
    key: str = EVERYTHING
    headers: Mapping[str, str] = field(default_factory=dict)
    chunked: bool = False
    by_gateway: bool = False


def bad_requests() -> Iterator[Bad]:
    yield from NOT_JSON
    yield from NOT_GZIP
    yield from NOT_TEXT_TO_KEEP
    yield from TOO_LARGE
    yield from NOT_AN_EVENT
    yield from FAULTY_EVENTS
    yield from NOT_ALLOWED
    yield from NO_SUCH_THING


def event(**changes: Any) -> factory.Document:
    """A good RunEvent with some members changed; one that is changed to `...` is left out."""
    good = factory.run_event(inputs=[factory.dataset("in")], outputs=[factory.dataset("out")])
    return {name: member for name, member in {**good, **changes}.items() if member is not ...}


def text(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False).encode("utf-8", "surrogatepass")


GOOD = text(event())
ZIPPED = gzip.compress(GOOD)


def with_facet(value: str) -> bytes:
    """The text of an event with a run facet that holds this, written as it is."""
    return GOOD.replace(b'"facets": {}', b'"facets": {"noise": {"value": ' + value.encode("latin-1") + b"}}", 1)


@cache
def bomb() -> bytes:
    """Gzip that inflates to 1 GiB of spaces: equal blocks, each flushed so that it stands for itself."""
    block = b" " * MIB
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = deflate.compress(block) + deflate.flush(zlib.Z_FULL_FLUSH)
    checksum = 0
    for _ in range(1024):
        checksum = zlib.crc32(block, checksum)
    trailer = checksum.to_bytes(4, "little") + (1024 * MIB).to_bytes(4, "little")
    return (
        b"\x1f\x8b\x08" + bytes(6) + b"\xff" + packed * 1024 + zlib.compressobj(9, zlib.DEFLATED, -15).flush() + trailer
    )


NOT_JSON = (
    Bad("nothing", 400, "body: empty"),
    Bad("spaces", 400, "body: empty", b" \r\n\t "),
    Bad("prose", 400, "body: not JSON", b"hello"),
    Bad("half of an event", 400, "body: not JSON", GOOD[: len(GOOD) // 2]),
    Bad("two events in a row", 400, "body: not JSON", GOOD + b"\n" + GOOD),
    Bad("a comma too many", 400, "body: not JSON", GOOD[:-1] + b",}"),
    Bad("single quotes", 400, "body: not JSON", GOOD.replace(b'"', b"'")),
    Bad("XML", 400, "body: not JSON", b"<event/>", headers={"Content-Type": "application/xml"}),
    Bad("a form", 400, "body: not JSON", b"a=b", headers={"Content-Type": "application/x-www-form-urlencoded"}),
    Bad("latin-1", 400, "body: not UTF-8", with_facet('"M\xfcller"')),
    Bad("UTF-16", 400, "body: not", GOOD.decode().encode("utf-16")),
    Bad("NaN", 400, "NaN is not a number", with_facet("NaN")),
    Bad("Infinity", 400, "Infinity is not a number", with_facet("Infinity")),
    Bad("-Infinity", 400, "-Infinity is not a number", with_facet("-Infinity")),
    Bad("a number of 100,000 digits", 400, "too many digits", with_facet("7" * 100_000)),
    Bad("an exponent without end", 400, "too many digits", with_facet("1e" + "9" * 30)),
    Bad("100,000 brackets", 400, "nested more than", b"[" * 100_000),
    Bad("100,000 pairs of brackets", 400, "nested more than", with_facet("[" * 100_000 + "]" * 100_000)),
    Bad("100,000 objects in each other", 400, "nested more than", b'{"a":' * 100_000),
    Bad("201 levels", 400, "nested more than", with_facet("[" * 201 + "]" * 201)),
)

NOT_GZIP = (
    Bad("gzip that ends too early", 400, "ends too early", ZIPPED[:-20], headers={"Content-Encoding": "gzip"}),
    Bad("gzip with something behind it", 400, "further bytes after its end", ZIPPED + b"more"),
    Bad("two gzips in a row", 400, "further bytes after its end", ZIPPED + ZIPPED),
    Bad("gzip with a wrong checksum", 400, "not gzip", ZIPPED[:-8] + bytes(4) + ZIPPED[-4:]),
    Bad("gzip's first bytes alone", 400, "ends too early", b"\x1f\x8b"),
    Bad("gzip's first bytes, then noise", 400, "not gzip", b"\x1f\x8b" + bytes(range(200, 250))),
    Bad("gzip of nothing", 400, "body: empty", gzip.compress(b"")),
    Bad("gzip of prose", 400, "body: not JSON", gzip.compress(b"hello")),
    Bad("deflate", 400, "body: not UTF-8", zlib.compress(GOOD), headers={"Content-Encoding": "deflate"}),
)

NOT_TEXT_TO_KEEP = (
    Bad("NUL as it is", 400, "body: not JSON", with_facet('"a\x00b"')),
    Bad("NUL escaped", 400, "has a NUL character", with_facet(r'"a\u0000b"')),
    Bad("NUL in a name", 400, "job.name: has a NUL", text(event(job={"namespace": "demo", "name": "a\x00b"}))),
    Bad("NUL in a member's name", 400, "has a NUL character", text(event(**{"a\x00b": 1}))),
    Bad("the first half of a pair", 400, "half of a surrogate pair", with_facet(r'"\ud83d"')),
    Bad("the second half of a pair", 400, "half of a surrogate pair", with_facet(r'"\udf89 "')),
    Bad("a pair the wrong way round", 400, "half of a surrogate pair", with_facet(r'"\udf89\ud83d"')),
    Bad("half of a pair in UTF-8", 400, "body: not UTF-8", with_facet('"\xed\xa0\x80"')),
)

TOO_LARGE = (
    Bad("12 MB", 413, "Request Entity Too Large", b" " * 12 * MIB, by_gateway=True),
    Bad("12 MB in chunks", 413, "Request Entity Too Large", b" " * 12 * MIB, chunked=True, by_gateway=True),
    Bad("gzip of 1 GB", 413, "inflates to more than 33554432 bytes", bomb()),
    Bad(
        "gzip of 33 MB",
        413,
        "inflates to more than 33554432 bytes",
        gzip.compress(with_facet('"' + "x" * 33 * MIB + '"')),
    ),
)

NOT_AN_EVENT = (
    Bad("null", 400, "expected an object", b"null"),
    Bad("a boolean", 400, "expected an object", b"true"),
    Bad("a number", 400, "expected an object", b"1"),
    Bad("a string", 400, "expected an object", b'"event"'),
    Bad("an array where one event goes", 400, "expected an object", b"[" + GOOD + b"]"),
    Bad("an empty object", 400, "eventTime: missing", b"{}"),
    Bad("one event where an array goes", 400, "expected an array", GOOD, path=BATCH),
    Bad("a string where an array goes", 400, "expected an array", b'"events"', path=BATCH),
    Bad("half of an array", 400, "body: not JSON", b"[" + GOOD, path=BATCH),
)


def _without(members: factory.Document, name: str) -> factory.Document:
    return {key: member for key, member in members.items() if key != name}


def _faulty(what: str, message: str, **changes: Any) -> Bad:
    return Bad(what, 400, message, text(event(**changes)))


def _faulty_dataset(what: str, message: str, **changes: Any) -> Bad:
    return _faulty(what, message, outputs=[factory.dataset("out"), {**factory.dataset("in"), **changes}])


RUN, JOB, DATASET = event()["run"], event()["job"], factory.dataset("in")
FAULTY_EVENTS = (
    _faulty("no time", "eventTime: missing", eventTime=...),
    _faulty("null for a time", "eventTime: missing", eventTime=None),
    _faulty("a number for a time", "eventTime: expected a string", eventTime=1795161600),
    _faulty("an empty time", "eventTime: not an ISO 8601 time", eventTime=""),
    _faulty("a word for a time", "eventTime: not an ISO 8601 time", eventTime="yesterday"),
    _faulty("a date alone", "eventTime: not an ISO 8601 time", eventTime="2026-11-20"),
    _faulty("month 13", "eventTime: no time of the calendar", eventTime="2026-13-01T00:00:00Z"),
    _faulty("30 February", "eventTime: no time of the calendar", eventTime="2026-02-30T00:00:00Z"),
    _faulty("hour 25", "eventTime: no time of the calendar", eventTime="2026-11-20T25:00:00Z"),
    _faulty("an offset of 99 hours", "eventTime: no time of the calendar", eventTime="2026-11-20T08:00:00+99:00"),
    _faulty("year 0", "eventTime: no time of the calendar", eventTime="0000-01-01T00:00:00Z"),
    _faulty("year 2999", "eventTime: more than 366 days ahead", eventTime="2999-01-01T00:00:00Z"),
    _faulty("year 10000", "eventTime: not an ISO 8601 time", eventTime="10000-01-01T00:00:00Z"),
    _faulty("no producer", "producer: missing", producer=...),
    _faulty("an empty producer", "producer: empty", producer=""),
    _faulty("a number for a producer", "producer: expected a string", producer=5),
    _faulty("a type that there is not", "eventType: not one of START", eventType="DONE"),
    _faulty("a number for a type", "eventType: expected a string", eventType=5),
    _faulty("no run", "run: missing", run=...),
    _faulty("a string for a run", "run: expected an object", run="run"),
    _faulty("an array for a run", "run: expected an object", run=[RUN]),
    _faulty("no run id", "run.runId: missing", run={}),
    _faulty("a number for a run id", "run.runId: expected a string", run={"runId": 5}),
    _faulty("an empty run id", "run.runId: not a UUID", run={"runId": ""}),
    _faulty("a word for a run id", "run.runId: not a UUID", run={"runId": "abc"}),
    _faulty("a UUID of the wrong letters", "run.runId: not a UUID", run={"runId": RUN["runId"][:-1] + "g"}),
    _faulty("a UUID in braces", "run.runId: not a UUID", run={"runId": "{" + RUN["runId"] + "}"}),
    _faulty("a UUID without hyphens", "run.runId: not a UUID", run={"runId": RUN["runId"].replace("-", "")}),
    _faulty("an array for a run's facets", "run.facets: expected an object", run={**RUN, "facets": []}),
    _faulty("no job", "job: missing", job=...),
    _faulty("a string for a job", "job: expected an object", job="load"),
    _faulty("no job's namespace", "job.namespace: missing", job=_without(JOB, "namespace")),
    _faulty("an empty namespace", "job.namespace: empty", job={**JOB, "namespace": ""}),
    _faulty("a number for a namespace", "job.namespace: expected a string", job={**JOB, "namespace": 5}),
    _faulty("null for a namespace", "job.namespace: ", job={**JOB, "namespace": None}),
    _faulty("no job's name", "job.name: missing", job=_without(JOB, "name")),
    _faulty("an empty name", "job.name: empty", job={**JOB, "name": ""}),
    _faulty("an array for a name", "job.name: expected a string", job={**JOB, "name": ["load"]}),
    _faulty("a name of 16,385 characters", "job.name: longer than 16384", job={**JOB, "name": "x" * 16_385}),
    _faulty("a string for a job's facets", "job.facets: expected an object", job={**JOB, "facets": "x"}),
    _faulty("an object for inputs", "inputs: expected an array", inputs=DATASET),
    _faulty("a string for outputs", "outputs: expected an array", outputs="out"),
    _faulty("a string for an input", "inputs[0]: expected an object", inputs=["in"]),
    _faulty("null for an input", "inputs[0]: expected an object", inputs=[None]),
    _faulty_dataset("a number for a dataset's name", "outputs[1].name: expected a string", name=5),
    _faulty_dataset("an array for facets", "outputs[1].facets: expected an object", facets=[]),
    _faulty_dataset("an array for output facets", "outputs[1].outputFacets: expected an object", outputFacets=[]),
    Bad("a string for a dataset", 400, "dataset: ", text(factory.dataset_event("in"))),  # type: ignore[arg-type]
    Bad(
        "no name in a DatasetEvent", 400, "dataset.name: missing", text(factory.dataset_event({"namespace": "s3://b"}))
    ),
    Bad("no name in a JobEvent", 400, "job.name: missing", text({**factory.job_event(), "job": {"namespace": "demo"}})),
    _faulty("200,000 faults", "inputs[0].name: missing", inputs=[{}] * 100_000),
    _faulty("several faults at once", "run.runId: missing", run={}, job={}, producer=5),
)

NOWHERE = "/api/v1/namespaces/nowhere"
OWNED = b'{"ownerName": "me"}'
LINEAGE_OF_NOTHING = "/api/v1/lineage?nodeId=dataset:nowhere:nothing"
NOT_ALLOWED = (
    Bad("no key", 401, "missing, unknown or expired", GOOD, key=""),
    Bad("no key and no JSON", 401, "missing, unknown or expired", b"hello", key=""),
    Bad("an unknown key", 401, "missing, unknown or expired", GOOD, key="unknown"),
    Bad("an expired key", 401, "missing, unknown or expired", GOOD, key="expired"),
    Bad("an empty key", 401, "missing, unknown", GOOD, key="", headers={"Authorization": "Bearer "}),
    Bad("an unknown key in x-api-key", 401, "missing, unknown", GOOD, key="", headers={"x-api-key": "unknown"}),
    Bad("a password", 401, "missing, unknown", GOOD, key="", headers={"Authorization": "Basic ZXZlcnl0aGluZzo="}),
    Bad("a key of 5,000 characters", 401, "missing, unknown or expired", GOOD, key="k" * 5_000),
    Bad("a lookup without a key", 401, "missing, unknown", method="GET", path="/api/v1/namespaces", key=""),
    Bad("ingest with a key for reading", 403, "lacks the scope ingest", GOOD, key="for-reading"),
    Bad("a batch with a key for reading", 403, "lacks the scope ingest", b"[]", path=BATCH, key="for-reading"),
    Bad("a lookup with a key for ingest", 403, "scope read", method="GET", path="/api/v1/jobs", key="for-ingesting"),
    Bad("a deletion without a key", 401, "missing, unknown", method="DELETE", path=NOWHERE, key=""),
    Bad("a deletion with a key for ingest", 403, "scope admin", method="DELETE", path=NOWHERE, key="for-ingesting"),
    Bad("a tag with a key for reading", 403, "scope ingest", path=f"{NOWHERE}/datasets/x/tags/y", key="for-reading"),
    Bad("a namespace of another team", 403, "is not a", OWNED, method="PUT", path=NOWHERE, key="for-a-team"),
    Bad(
        "an event that deletes with a key for ingest",
        403,
        "require the scope admin",
        text(factory.dataset_event(factory.dataset("x", headwater_deleted={"through": factory.at(0)}))),
        key="for-ingesting",
    ),
    Bad("a job of another team", 403, "job.namespace: is not a namespace of this key", GOOD, key="for-a-team"),
    Bad(
        "a dataset of another team",
        403,
        "dataset.namespace: is not a namespace of this key",
        text(factory.dataset_event(DATASET)),
        key="for-a-team",
    ),
)

NO_SUCH_THING = (
    Bad("POST to another version", 404, "Not Found", GOOD, path="/api/v2/lineage"),
    Bad("POST beside the path", 404, "Not Found", GOOD, path="/events"),
    Bad("POST below the path", 404, "Not Found", GOOD, path="/api/v1/lineage/events"),
    Bad("GET of a batch", 404, "Not Found", method="GET", path=BATCH),
    Bad("PUT", 405, "Method Not Allowed", GOOD, method="PUT"),
    Bad("PATCH", 405, "Method Not Allowed", GOOD, method="PATCH"),
    Bad("POST to a lookup", 405, "Method Not Allowed", GOOD, path="/api/v1/namespaces"),
    Bad("POST of a tag as such", 405, "Method Not Allowed", method="POST", path="/api/v1/tags/PII"),
    Bad("DELETE of a job that there is not", 404, "Job 'x' not found", method="DELETE", path=f"{NOWHERE}/jobs/x"),
    Bad("DELETE of a dataset that there is not", 404, "not found", method="DELETE", path=f"{NOWHERE}/datasets/x"),
    Bad("DELETE of a namespace that there is not", 404, "Namespace", method="DELETE", path=NOWHERE),
    Bad("a tag on nothing", 404, "not found", path=f"{NOWHERE}/datasets/x/tags/PII"),
    Bad("a namespace without a body", 400, "body: empty", method="PUT", path=NOWHERE),
    Bad("a namespace of nobody", 400, "ownerName: missing", b"{}", method="PUT", path=NOWHERE),
    Bad("a source that is prose", 400, "body: not JSON", b"hello", method="PUT", path="/api/v1/sources/x"),
    Bad("a reserved namespace", 403, "reserved", OWNED, method="PUT", path="/api/v1/namespaces/headwater:tags"),
    Bad("a path that there is not", 404, "Not Found", method="GET", path="/api/v1/nothing"),
    Bad("a namespace that there is not", 404, "Namespace", method="GET", path="/api/v1/namespaces/nowhere"),
    Bad("a dataset that there is not", 404, "not found", method="GET", path="/api/v1/namespaces/a/datasets/b"),
    Bad("a run that there is not", 404, "not found", method="GET", path=f"/api/v1/jobs/runs/{'0' * 8}-{'0' * 27}"),
    Bad("lineage of nothing", 404, "not found", method="GET", path=LINEAGE_OF_NOTHING),
    Bad("lineage of no node", 400, "nodeId: missing", method="GET", path="/api/v1/lineage"),
    Bad("lineage of half a node", 400, "nodeId: ", method="GET", path="/api/v1/lineage?nodeId=dataset:a"),
    Bad("lineage of a column", 400, "nodeId: ", method="GET", path="/api/v1/lineage?nodeId=column:a:b"),
    Bad("a negative limit", 400, "limit: must be", method="GET", path="/api/v1/namespaces?limit=-1"),
    Bad("a limit that is none", 400, "limit: expected", method="GET", path="/api/v1/jobs?limit=1e3"),
)
