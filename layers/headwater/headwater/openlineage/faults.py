"""The faults of a request, each with its place."""

from dataclasses import dataclass

SHOWN = 10
"""Faults in the message of an error; its details and faults have all of them."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault at one place of an event or request: `inputs[0].name: missing`."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


class InvalidRequest(Exception):
    """A request or an event has faults.

    status    the HTTP status of the response: 400, or a more precise status such as 413
    """

    def __init__(self, *faults: Fault, status: int = 400) -> None:
        more = f"; {len(faults) - SHOWN} more" if len(faults) > SHOWN else ""
        super().__init__("; ".join(map(str, faults[:SHOWN])) + more)
        self.faults = faults
        self.status = status


class NotFound(InvalidRequest):
    """The name in a path or query is unknown."""

    def __init__(self, message: str) -> None:
        super().__init__(Fault("path", message), status=404)
        self.message = message


def path_of(*parts: str | int) -> str:
    """The path of a member as text: `path_of("inputs", 0, "name")` is `inputs[0].name`."""
    text = ""
    for part in parts:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text or "body"
