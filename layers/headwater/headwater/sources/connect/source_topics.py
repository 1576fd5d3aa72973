"""The topics that a source connector writes."""

from typing import NamedTuple

from headwater.openlineage.event import Name


class SourceTopic(NamedTuple):
    """A dataset that a source reads, and the topic that it writes, before transformations. One of them may be unknown:
    a query names no dataset, and a regular expression of tables no topic."""

    dataset: Name | None
    topic: str
