"""An event as it goes into the fold."""

from typing import NamedTuple

from headwater.openlineage.event import AnyEvent, Name
from headwater.openlineage.instant import NEVER, Instant


class Alias(NamedTuple):
    """A name as it was sent, the dataset it stands for, and the rules that say so."""

    sent: Name
    dataset: Name
    rules: tuple[str, ...]


class FirstWriter(NamedTuple):
    """A run that wrote what a name stands for; of several, the one that is known to have done so first counts."""

    time: Instant
    run_id: str
    job: Name


class SymlinkPair(NamedTuple):
    """Two names of one dataset, by its symlinks facet."""

    dataset: Name
    symlink: Name


class NormalisedEvent(NamedTuple):
    """An event, its canonical text, and what it tells of the names of datasets.

    `at` is when it was received over HTTP, if it was. `written` are those of the aliases that name an output of a run.
    `sources` are datasets that its column lineage names and its inputs do not (OpenLineage's producers trim the two
    differently): but for those of a MERGE they become no inputs of the job; their readers know it.
    """

    event: AnyEvent
    canonical: str
    aliases: tuple[Alias, ...] = ()
    links: tuple[SymlinkPair, ...] = ()
    written: tuple[Alias, ...] = ()
    sources: tuple[Name, ...] = ()
    at: Instant = NEVER
