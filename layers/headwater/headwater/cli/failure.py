"""Why a command has no answer, with the next step: one line each on the standard error.

exit status    means
0              answered
1              no such node, or several of that name
2              a wrong command line
3              the API could not be asked: no server, no valid key, no answer in time
"""

from collections.abc import Sequence

ANSWERED, UNKNOWN, WRONG_COMMAND, UNREACHABLE = range(4)


def reason_of(error: Exception) -> str:
    """The text of an error, for one of the system without its number: `/nope: No such file or directory`; of a failure
    with the next step."""
    if isinstance(error, CommandFailure):
        return "; ".join(error.lines())
    cause = getattr(error, "reason", error)  # of a URLError
    if not isinstance(cause, OSError) or not cause.strerror:
        return str(error)
    return f"{cause.filename}: {cause.strerror}" if cause.filename else cause.strerror


class CommandFailure(Exception):
    """`steps` are what to do next, such as exact commands. `nodes` are the nodeIds that may be meant instead, for which
    `listed` has the commands. A server may have written a part of the texts: they are made inert where they are
    printed."""

    def __init__(
        self, what: str, *steps: str, status: int, listed: Sequence[str] = (), nodes: Sequence[str] = ()
    ) -> None:
        super().__init__(what)
        self.what = what
        self.steps = steps
        self.listed = listed
        self.nodes = nodes
        self.status = status

    def lines(self) -> list[str]:
        return [self.what, *(f"  {line}" for line in self.listed), *(f"next: {step}" for step in self.steps)]
