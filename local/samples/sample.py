"""The samples as events/README.md lists them, and what came of them."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROW = re.compile(r"^\| `([\w/.-]+\.json)` \| (\w+) \|(?: .*(delivered again))?")
"""A row of the table: a file below events/, the folder of its function, and whether its message comes again."""

Invoke = Callable[[str, bytes], Any]
"""Invokes a function, by its folder, with an event. Returns the function's response."""


@dataclass(frozen=True)
class Sample:
    """A sample: a file below events/, the folder of its function, and whether that cannot take the message yet."""

    file: str
    function: str
    comes_again: str | None = None


@dataclass(frozen=True)
class SampleOutcome:
    """The outcome of a sample: an HTTP status, `done` for a function that answers no request, or an error."""

    sample: Sample
    result: str
    is_fault: bool

    def __str__(self) -> str:
        mark = "FAILED" if self.is_fault else "ok"
        return f"{self.sample.file:40} {self.sample.function:12} {mark:7} {self.result}"


def samples(folder: Path) -> list[Sample]:
    """The samples in the order of the table, which is the order in which they are sent."""
    lines = (folder / "README.md").read_text(encoding="utf-8").splitlines()
    return [Sample(*match.groups()) for match in map(ROW.match, lines) if match]


def outcomes(folder: Path, invoke: Invoke) -> Iterator[SampleOutcome]:
    for sample in samples(folder):
        yield outcome(sample, invoke(sample.function, (folder / sample.file).read_bytes()))


def outcome(sample: Sample, response: Any) -> SampleOutcome:
    """A response of 500 or more is a fault. So is an error of the function, which comes as a response, too."""
    if not isinstance(response, dict) or "errorType" in response or "errorMessage" in response:
        return SampleOutcome(sample, str(response)[:200], is_fault=True)
    if "statusCode" in response:
        return SampleOutcome(sample, str(response["statusCode"]), is_fault=response["statusCode"] >= 500)
    failures = response.get("batchItemFailures")
    is_fault = bool(failures) and not sample.comes_again
    return SampleOutcome(sample, f"failed in part: {failures}" if failures else "done", is_fault)
