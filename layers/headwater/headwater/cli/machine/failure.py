"""The exception that is printed as a text, without a traceback."""


class Failure(Exception):
    """A fault that the user can act on: its reason, and the next step to take."""

    def __init__(self, reason: str, next_step: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.next_step = next_step

    def __str__(self) -> str:
        return f"{self.reason}\n  next: {self.next_step}"
