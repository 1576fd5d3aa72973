"""What is wrong with a request, said so that its sender can mend it."""

from dataclasses import dataclass

SHOWN = 10
"""Faults in one message; the details of an answer have the others too."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong, at one place: `inputs[0].name: missing`."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


class InvalidRequest(Exception):
    """The client's fault: the body or the event cannot be taken as it is.

    `status` is the HTTP status that says so (400 unless the reason has one of its own, as 413 has).
    """

    def __init__(self, *faults: Fault, status: int = 400) -> None:
        more = f"; {len(faults) - SHOWN} more" if len(faults) > SHOWN else ""
        super().__init__("; ".join(map(str, faults[:SHOWN])) + more)
        self.faults = faults
        self.status = status


class NotFound(InvalidRequest):
    """Nothing of that name is known."""

    def __init__(self, message: str) -> None:
        super().__init__(Fault("path", message), status=404)
        self.message = message


def path_of(*parts: str | int) -> str:
    """The path of a member as people write it: `path_of("inputs", 0, "name")` is `inputs[0].name`."""
    text = ""
    for part in parts:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text or "body"
