"""From an event as it was sent to what it means: which dataset each name stands for, and what is made of what."""

from collections.abc import Iterator
from dataclasses import replace

from headwater.graph.explicit_lineage import spelled_out
from headwater.graph.foreign_columns import without_foreign_columns
from headwater.graph.identity import dataset_id
from headwater.graph.mention import COLUMN_LINEAGE, SOURCES, SYMLINKS, mentioned, sources_of, symlinks
from headwater.graph.naming import Naming
from headwater.graph.received import Alias, Link, Received
from headwater.openlineage import exact_json
from headwater.openlineage.event import AnyEvent, DatasetEvent, DatasetMention, Name, RunEvent
from headwater.openlineage.instant import NEVER, Instant
from headwater.openlineage.wire import read_event


def understood(canonical: str, naming: Naming, at: Instant = NEVER) -> Received:
    """The event in a canonical text, received `at`. Raises Refused if it is none."""
    event = spelled_out(read_event(exact_json.loads(canonical)))
    aliases = {alias for mention in mentioned(event) for alias in _aliases(event, mention, naming)}
    outputs = event.outputs if isinstance(event, RunEvent) else ()
    written = {alias for mention in outputs for alias in _aliases(event, mention, naming)}
    event = _with_merged(_renamed(event, naming), naming)
    links = {link for mention in mentioned(event) for link in _links(mention, naming)}
    named = tuple(sorted(aliases)), tuple(sorted(links)), tuple(sorted(written))
    return Received(event, canonical, *named, _undeclared(event, naming), at)


def _aliases(event: AnyEvent, mention: DatasetMention, naming: Naming) -> Iterator[Alias]:
    found = naming.identify(mention.name, streams_files=_streams_files(event, mention))
    if found.rules:
        yield Alias(mention.name, found.shown, found.rules)


def _links(mention: DatasetMention, naming: Naming) -> Iterator[Link]:
    for name in symlinks(mention.facets.get(SYMLINKS)):
        found = naming.identify(name)
        if found.identity != naming.identify(mention.name).identity:
            yield Link(mention.name, found.shown)


def _renamed(event: AnyEvent, naming: Naming) -> AnyEvent:
    def rename(mention: DatasetMention, *, is_read: bool = False) -> DatasetMention:
        found = naming.identify(mention.name, streams_files=_streams_files(event, mention))
        facets = without_foreign_columns(mention, found.rules, is_read=is_read).facets
        if SOURCES in facets:
            sources = sorted({naming.identify(Name(*source)).shown for source in facets[SOURCES]})
            facets = {**facets, SOURCES: [list(source) for source in sources]}
        return replace(mention, name=found.shown, facets=facets)

    if isinstance(event, DatasetEvent):
        return replace(event, dataset=rename(event.dataset))
    inputs = tuple(rename(each, is_read=True) for each in event.inputs)
    return replace(event, inputs=inputs, outputs=tuple(map(rename, event.outputs)))


def _streams_files(event: AnyEvent, mention: DatasetMention) -> bool:
    """Whether a dataset is an input of a streaming job: the Spark listener names each file of a source directory."""
    if isinstance(event, DatasetEvent) or mention not in event.inputs:
        return False
    match event.job.facets.get("jobType"):
        case {"processingType": "STREAMING"}:
            return True
    return False


def _with_merged(event: AnyEvent, naming: Naming) -> AnyEvent:
    """A MERGE into a Delta table names its target alone, as input and output; what is merged into it is known by its
    column lineage. Where an event has no other inputs than its outputs, the sources of columns are inputs."""
    if isinstance(event, DatasetEvent):
        return event
    outputs = {dataset_id(mention.name) for mention in event.outputs}
    if not event.inputs or any(dataset_id(mention.name) not in outputs for mention in event.inputs):
        return event
    merged = tuple(DatasetMention(name, {}, {}) for name in _undeclared(event, naming))
    return replace(event, inputs=event.inputs + merged)


def _undeclared(event: AnyEvent, naming: Naming) -> tuple[Name, ...]:
    """The datasets that column lineage names as sources, and the event's inputs do not."""
    if isinstance(event, DatasetEvent):
        return ()
    facets = [mention.facets[COLUMN_LINEAGE] for mention in event.outputs if COLUMN_LINEAGE in mention.facets]
    named = {naming.identify(name).shown for facet in facets for name in sources_of(facet)}
    inputs = {dataset_id(mention.name) for mention in event.inputs}
    return tuple(sorted(name for name in named if dataset_id(name) not in inputs))
