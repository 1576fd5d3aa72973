"""An alert as the topic of a stack sends it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class SentAlert:
    """A message of the topic: its text as sent, and the JSON object in the text."""

    body: str
    message: dict[str, Any]

    @property
    def detail(self) -> dict[str, Any]:
        detail: dict[str, Any] = self.message["detail"]
        return detail

    def lines(self) -> Iterator[str]:
        """Yield the alert for a terminal: severity and title, the explanation, the link."""
        yield f"{self.message['severity'].upper()}: {self.message['title']}"
        yield from (f"  {line}" for line in self.message["explanation"])
        if link := self.detail.get("link"):
            yield f"  see {link}"
