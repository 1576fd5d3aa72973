"""Normalised events: the input of the fold."""

from typing import NamedTuple

from headwater.openlineage.event import AnyEvent, Name
from headwater.openlineage.instant import NEVER, Instant


class Alias(NamedTuple):
    """A name as it was sent, the dataset that the name means, and the rules that say so."""

    sent: Name
    dataset: Name
    rules: tuple[str, ...]


class FirstWriter(NamedTuple):
    """The run that first wrote a dataset under an alias."""

    time: Instant
    run_id: str
    job: Name


class SymlinkPair(NamedTuple):
    """Two names of one dataset, by its symlinks facet."""

    dataset: Name
    symlink: Name


class NormalisedEvent(NamedTuple):
    """An event with its datasets renamed to the datasets that the names mean.

    canonical    the event as it was sent, as canonical text
    aliases      the names in the event that mean datasets of other names
    links        the symlinks in the event
    written      those of `aliases` that name an output of a run
    at           when the event was received over HTTP, if it was
    """

    event: AnyEvent
    canonical: str
    aliases: tuple[Alias, ...] = ()
    links: tuple[SymlinkPair, ...] = ()
    written: tuple[Alias, ...] = ()
    at: Instant = NEVER
