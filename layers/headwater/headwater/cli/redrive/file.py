"""The quarantine of the file of `headwater serve`.

The file has no dead-letter queue: a message whose fold fails for now waits in the inbox, and is tried again.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from headwater.cli.redrive.held_message import HeldMessage, Wanted
from headwater.store.home import QuarantineEntries


@dataclass(frozen=True)
class FileQuarantine:
    """`HeldMessages` over a file."""

    quarantine: QuarantineEntries

    def messages(self, wanted: Wanted) -> Iterator[HeldMessage]:
        held = (HeldMessage.of_entry(key, entry) for key, entry in self.quarantine.entries())
        yield from filter(wanted.has, held)

    def replay(self, message: HeldMessage) -> None:
        self.quarantine.replay(message.handle, message.group, message.body_again)
