"""What the Spark listener writes into Spark's log about its events, and headwater.spark about those of its own.

Observed with listener 1.53: an event that was answered below 400 has a line of level INFO, any other event a line of
level ERROR, followed by a line with the exception. The circuit breaker writes a line of level INFO for each task that
it puts into its queue. A task has at most one event. If the queue is full, or is not empty five seconds after the end,
tasks vanish without a line; the counters in the line stay 0.0 even then.
"""

import re
from collections import Counter
from collections.abc import Callable

from headwater.cli.jvm.spark_submit import CIRCUIT_BREAKER

DELIVERED = b"Emitting lineage completed successfully"
REFUSED = b"Could not emit lineage w/ exception"
QUEUED = re.compile(rb"OpenLineage async stats: .*\bqueueDepth=(\d+)")
STATUS = re.compile(rb"HttpTransportResponseException: code: (\d{3})\b")
TIMEOUT = b"SocketTimeoutException: Read timed out"
OF_JOB_LINEAGE = re.compile(rb"lineage was not (?:accepted: (\w+)|sent within \d+ s)")
EXCEPTION = re.compile(rb"[\w.$]*(?:Exception|Error): .*?([^:]+)")
REASON_CHARACTERS = 60
IN_DOUBT = "perhaps taken without an answer"
LINE_BYTES = 10_000
"""Of a longer line, the rest is not examined."""
QUEUE_SIZE = int(CIRCUIT_BREAKER["spark.openlineage.circuitBreaker.queueSize"])


class LineReader:
    """Hands over the lines of an output, which comes in pieces of any size."""

    def __init__(self, read: Callable[[bytes], None]) -> None:
        self._read = read
        self._line = b""

    def feed(self, output: bytes) -> None:
        *ended, rest = output.split(b"\n")
        for piece in ended:
            self._read((self._line + piece)[:LINE_BYTES])
            self._line = b""
        self._line = (self._line + rest)[:LINE_BYTES]

    def close(self) -> None:
        """The output has ended. An empty line stands for the next line that some line announced."""
        self._read(self._line)
        self._read(b"")
        self._line = b""


class ListenerLog:
    """Counts events in the output of Spark.

    delivered  the number of events with an answer below 400
    refused    the number of other events, by status or by the reason why there was no answer
    errors     reads the standard error, with Spark's log
    output     reads the standard output, to which Spark writes both outputs of a Python program
    """

    def __init__(self) -> None:
        self.errors = LineReader(self._read_log)
        self.output = LineReader(self._read_program)
        self.delivered = 0
        self.refused: Counter[str] = Counter()
        self._tasks = 0
        self._answers = 0
        self._was_full = False
        self._waiting = 0
        self._expects_reason = False

    @property
    def unsent(self) -> int:
        """The most events that can have been lost in the listener's queue."""
        is_lossy = self._was_full or self._waiting > 0
        return max(0, self._tasks - self._answers) if is_lossy else 0

    def _read_program(self, line: bytes) -> None:
        if own := OF_JOB_LINEAGE.match(line):
            self.refused[f"headwater.spark {own[1].decode() if own[1] else IN_DOUBT}"] += 1

    def _read_log(self, line: bytes) -> None:
        if self._expects_reason:
            self._refuse(reason(line))
        if DELIVERED in line:
            self.delivered += 1
            self._answer()
        elif REFUSED in line:
            self._expects_reason = True  # in the next line
        elif queued := QUEUED.search(line):
            depth = int(queued[1])
            self._tasks += 1
            self._was_full |= depth >= QUEUE_SIZE
            self._waiting = depth + 1 if depth else 0  # and one that is under way

    def _refuse(self, why: str) -> None:
        self.refused[why] += 1
        self._expects_reason = False
        self._answer()

    def _answer(self) -> None:
        """An event of the listener has left the queue."""
        self._answers += 1
        self._waiting -= 1


def reason(line: bytes) -> str:
    """Return the status in the line of an exception, else the end of its message, such as `Connection refused`."""
    if status := STATUS.search(line):
        return status[1].decode()
    if TIMEOUT in line:
        return IN_DOUBT
    if exception := EXCEPTION.fullmatch(line.strip()):
        text = exception[1].decode(errors="replace").strip()
        return "".join(character for character in text if character.isprintable())[:REASON_CHARACTERS]
    return "unknown reason"
