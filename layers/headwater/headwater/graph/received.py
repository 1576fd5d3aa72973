"""An event as it goes into the fold."""

from typing import NamedTuple

from headwater.openlineage.event import AnyEvent, Name


class Alias(NamedTuple):
    """A name as it was sent, the dataset it stands for, and the rules that say so."""

    sent: Name
    dataset: Name
    rules: tuple[str, ...]


class Link(NamedTuple):
    """Two names of one dataset, by its symlinks facet."""

    dataset: Name
    symlink: Name


class Received(NamedTuple):
    """An event, its canonical text, and what it tells of the names of datasets.

    `sources` are datasets that its column lineage names and its inputs do not (OpenLineage's producers trim the two
    differently): but for those of a MERGE they become no inputs of the job; their readers know it.
    """

    event: AnyEvent
    canonical: str
    aliases: tuple[Alias, ...] = ()
    links: tuple[Link, ...] = ()
    sources: tuple[Name, ...] = ()
