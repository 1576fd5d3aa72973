"""Counts in lines as listener 1.53 wrote them."""

from collections import Counter

import pytest

from headwater.cli.submit.listener_log import ListenerLog, reason

TIME = "26/11/22 14:18:44 "
DELIVERED = (
    f"{TIME}INFO EventEmitter: Emitting lineage completed successfully with run id: 01a2039f-7e6d-7adf-a4ef-7d\n"
)
ERROR = f"{TIME}ERROR EventEmitter: Could not emit lineage w/ exception\n"
HTTP = 'io.openlineage.client.transports.HttpTransportResponseException: code: {}, response: {{"code":401}}\n'
CAUSE = "io.openlineage.client.OpenLineageClientException: "
TIMEOUT = f"{CAUSE}java.net.SocketTimeoutException: Read timed out\n"
REFUSED = (
    f"{CAUSE}io.openlineage.spark.shaded.org.apache.hc.client5.http.HttpHostConnectException: "
    "Connect to http://127.0.0.1:7899 failed: Connection refused\n"
)
STACK = "\tat io.openlineage.client.transports.HttpTransport.throwOnHttpError(HttpTransport.java:244)\n"


def tasks(*depths: int) -> str:
    line = (
        "INFO TaskQueueCircuitBreaker: OpenLineage async stats: dropped=0.0, timeout=0.0, queueDepth={}, failed=0.0\n"
    )
    return "".join(TIME + line.format(depth) for depth in depths)


def read(text: str, piece: int = 1 << 20) -> ListenerLog:
    log, output = ListenerLog(), text.encode()
    for start in range(0, len(output), piece):
        log.errors.feed(output[start : start + piece])
    log.errors.close()
    return log


def test_delivered_and_refused_events_are_counted() -> None:
    log = read(DELIVERED + tasks(0) + ERROR + HTTP.format(401) + STACK + tasks(0) + DELIVERED + ERROR + REFUSED + STACK)
    assert log.delivered == 2
    assert log.refused == Counter({"401": 1, "Connection refused": 1})
    assert log.unsent == 0


@pytest.mark.parametrize("piece", [1, 7, 100])
def test_output_may_come_in_pieces_of_any_size(piece: int) -> None:
    log = read(DELIVERED + ERROR + HTTP.format(503) + STACK + DELIVERED.strip(), piece)
    assert (log.delivered, log.refused) == (2, Counter({"503": 1}))


def test_a_task_without_an_event_is_not_lost() -> None:
    assert read(tasks(0, 0, 0) + DELIVERED).unsent == 0


def test_what_waits_in_the_queue_at_the_end_may_be_lost() -> None:
    """As written by a server that answers after six seconds: three of six events were never sent."""
    timeout, closed = ERROR + TIMEOUT, ERROR + f"{CAUSE}java.net.SocketException: Socket closed\n"
    log = read(tasks(0, 1, 2, 3, 4) + timeout + tasks(4) + timeout + closed)
    assert log.refused == Counter({"perhaps taken without an answer": 2, "Socket closed": 1})
    assert log.unsent == 3


def test_a_queue_that_was_emptied_lost_nothing() -> None:
    assert read(tasks(0, 1, 2) + DELIVERED * 3).unsent == 0


def test_a_full_queue_may_lose_events() -> None:
    assert read(tasks(*range(11), 10, 10) + DELIVERED * 11).unsent == 2


def test_events_of_job_lineage_are_counted_beside_those_of_the_listener() -> None:
    own = "lineage was not accepted: HTTPError\nlineage was not sent within 6 s; the job goes on\n"
    log = read(tasks(0, 1) + DELIVERED)
    log.output.feed(own.encode())
    assert log.refused == Counter(
        {"headwater.spark HTTPError": 1, "headwater.spark perhaps taken without an answer": 1}
    )
    assert (log.delivered, log.unsent) == (1, 1)


def test_an_error_without_an_exception_is_still_an_event() -> None:
    assert read(ERROR).refused == Counter({"unknown reason": 1})
    assert read(ERROR.strip()).refused == Counter({"unknown reason": 1})
    assert read(ERROR + DELIVERED).refused == Counter({"unknown reason": 1})
    assert read(ERROR + DELIVERED).delivered == 1


def test_a_reason_is_one_short_printable_text() -> None:
    assert reason(HTTP.format(403).encode()) == "403"
    assert reason(b"a.b.CException: x: \x1b[31m" + b"y" * 100) == "[31m" + "y" * 56
    assert reason(b"\xff\xfe") == "unknown reason"


def test_a_line_without_an_end_takes_no_memory() -> None:
    log = ListenerLog()
    for _ in range(100):
        log.errors.feed(b"x" * 100_000)
    assert len(log.errors._line) == 10_000
