"""How the steps of a command are printed while it runs."""

from collections.abc import Callable

Say = Callable[[str], None]


def say(text: str) -> None:
    """Print a line at once, also if the output is a file."""
    print(text, flush=True)
