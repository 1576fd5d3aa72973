"""GET /search/groups: columns, datasets, jobs, owners and tags by the beginnings of their words.

Datasets and jobs are found by the words of their descriptions and SQL texts, too, and a run by the id of its query.

unit_price          the columns of that name, of each table
orders price        the column of the table, too
ordrs               as `orders`, if nothing has a word that begins so: the answer says `corrected`
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from headwater.concurrent import concurrent_map
from headwater.graph.facets.curation import called, current_tags
from headwater.graph.facets.dataset_reference import display_name, names_of
from headwater.graph.facets.members import EXTERNAL_QUERY, owners_of
from headwater.graph.facets.register import values
from headwater.graph.facets.schema import fields_of
from headwater.graph.names.identity import DatasetId, JobId, NodeKind, node_id
from headwater.graph.names.search_words import plain_name, words_of
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.job import JobHead
from headwater.graph.states.search_terms import Holder, NameKind, searched_namespace
from headwater.http.request import ApiRequest
from headwater.lookup.search.names import FoundLabel, NameSearch, matched_texts
from headwater.lookup.search.search import text_of
from headwater.openlineage.event import Facets, Name
from headwater.openlineage.exact_json import JsonObject
from headwater.read.reader import Reader

DEFAULT_LIMIT, MAX_LIMIT = 8, 200
MAX_WORDS = 4
LABELS = (NameKind.COLUMN, NameKind.OWNER, NameKind.TAG)


@dataclass(frozen=True)
class Candidates:
    """What the lists have for some words: nodes by their names, labels with their nodes, for each place at which the
    words may be a table and its column, the tables, and nodes by their texts."""

    words: Sequence[str]
    nodes: Sequence[Holder]
    labels: Mapping[NameKind, Sequence[FoundLabel]]
    tables: Sequence[tuple[Sequence[str], Sequence[Holder]]]
    texts: Sequence[Holder]

    @property
    def holders(self) -> Iterator[Holder]:
        yield from self.nodes
        yield from self.texts
        yield from (holder for labels in self.labels.values() for label in labels for holder in label.holders)
        yield from (holder for _, holders in self.tables for holder in holders)


@dataclass(frozen=True)
class Heads:
    """The heads of the candidates, as far as the caller sees them. A dataset has one head under all its names; `names`
    has those that are not the head's."""

    datasets: Mapping[DatasetId, DatasetHead]
    jobs: Mapping[JobId, JobHead]
    names: Mapping[DatasetId, str]

    @classmethod
    def of(cls, reader: Reader, holders: Iterable[Holder]) -> "Heads":
        nodes = {holder.node: holder.kind for holder in holders}
        jobs = [JobId(node) for node, kind in nodes.items() if kind is NameKind.JOB]
        datasets = [DatasetId(node) for node, kind in nodes.items() if kind is NameKind.DATASET]
        read_jobs = reader.store.read_heads(jobs=jobs).jobs.all()
        around = reader.neighbourhood(datasets, ())
        heads = {node: head for node in datasets if (head := around.heads.get(around.representative(node)))}
        others = [node for node in heads if around.representative(node) != node]
        return cls(
            {node: head for node, head in heads.items() if not (head.is_foreign or head.facts.is_foreign)},
            {node: head for node, head in read_jobs.items() if not (head.facts.is_deleted or head.is_foreign)},
            {node: head.facts.name.name for node, head in reader.datasets(others).items()} if others else {},
        )

    def facts(self, holder: Holder) -> tuple[Name, Facets] | None:
        if holder.kind is NameKind.JOB:
            job = self.jobs.get(JobId(holder.node))
            return (job.facts.name, values(job.facts.facets)) if job else None
        dataset = self.datasets.get(DatasetId(holder.node))
        return (dataset.facts.name, dataset.facets) if dataset else None

    def tags(self, holder: Holder) -> set[str]:
        """The tags of a node and of its columns, and those of a job's runs."""
        job = self.jobs.get(JobId(holder.node)) if holder.kind is NameKind.JOB else None
        return job.facts.tags if job else current_tags((self.facts(holder) or (None, {}))[1])

    def owners(self, holder: Holder) -> set[str]:
        return set(owners_of((self.facts(holder) or (None, {}))[1]))

    def matched_in(self, holder: Holder, words: Sequence[str]) -> list[str]:
        """Where the texts of a node have words."""
        found = self.facts(holder)
        dataset = self.datasets.get(DatasetId(holder.node)) if holder.kind is NameKind.DATASET else None
        return matched_texts(found[1], dataset.schema if dataset else None, words) if found else []

    def names_of(self, holder: Holder) -> list[str]:
        """The names by which a node is found."""
        match self.facts(holder):
            case (name, facets) if holder.kind is NameKind.DATASET:
                other = self.names.get(DatasetId(holder.node))
                return [*names_of(name, facets), *([other] if other else [])]
            case (name, facets):
                return [name.name, *filter(None, [called(facets)])]
        return []


def grouped(reader: Reader, request: ApiRequest, namespaces: list[str] | None) -> JsonObject:
    """Up to `limit` of each group, the best first: columns before datasets, unless a dataset has the name itself."""
    text, limit = text_of(request), request.number("limit", DEFAULT_LIMIT, MAX_LIMIT, least=1)
    words = words_of(text)[:MAX_WORDS]
    own = None if namespaces is None else frozenset(map(searched_namespace, namespaces))
    search = NameSearch(reader.store, own)
    results = _of_query(reader, search, text) or (_results(reader, search, words, limit) if words else [])
    corrected = [] if results else _corrected(search, words)
    for other in corrected:
        if results := _results(reader, search, other, limit):
            words = other
            break
    is_corrected = {"corrected": " ".join(words)} if results and words in corrected else {}
    return {"results": results, **is_corrected, **({} if search.is_whole else {"truncated": True})}


def _corrected(search: NameSearch, words: list[str]) -> list[list[str]]:
    return [other for other in search.corrections(words) if other != words] if words else []


def _results(reader: Reader, search: NameSearch, words: Sequence[str], limit: int) -> list[JsonObject]:
    candidates = _candidates(search, words, limit)
    heads = Heads.of(reader, candidates.holders)
    columns, datasets = _columns(candidates, heads), _nodes(candidates, heads, NameKind.DATASET)
    groups = (
        *((datasets, columns) if _is_named(datasets, words) else (columns, datasets)),
        _nodes(candidates, heads, NameKind.JOB),
        _labels(candidates, heads, NameKind.OWNER, heads.owners),
        _labels(candidates, heads, NameKind.TAG, heads.tags),
    )
    return [result for group in groups for result in group[:limit]]


def _candidates(search: NameSearch, words: Sequence[str], limit: int) -> Candidates:
    splits = range(1, len(words))
    tasks: list[Callable[[], object]] = [
        *(lambda kind=kind: search.nodes(kind, words, 2 * limit) for kind in (NameKind.DATASET, NameKind.JOB)),
        *(lambda at=at: search.nodes(NameKind.DATASET, words[:at], 2 * limit) for at in splits),
    ]
    found: list[list[Holder]] = concurrent_map(lambda task: task(), tasks)  # type: ignore[arg-type,return-value]
    labels = concurrent_map(lambda kind: search.labels(kind, words, limit), LABELS)
    tables = [(words[at:], tables) for at, tables in zip(splits, found[2:], strict=True)]
    texts = search.with_words(words, 2 * limit)
    return Candidates(words, found[0] + found[1], dict(zip(LABELS, labels, strict=True)), tables, texts)


def _columns(candidates: Candidates, heads: Heads) -> list[JsonObject]:
    """The columns of the tables that the words name, then the columns of the name, one of each table."""
    asked = [
        *((holder, words) for words, holders in candidates.tables for holder in holders),
        *((holder, [label.name]) for label in candidates.labels[NameKind.COLUMN] for holder in label.holders),
    ]
    found: dict[str, JsonObject] = {}
    for holder, words in asked:
        if (head := heads.datasets.get(DatasetId(holder.node))) is None:
            continue
        for column in fields_of(head.schema):
            if _has(column["name"], words):
                result = _column(head, column["name"])
                found.setdefault(result["nodeId"], result)
    return list(found.values())


def _column(head: DatasetHead, column: str) -> JsonObject:
    """A column, with the name of its table in a catalogue."""
    table, node = head.facts.name, node_id(NodeKind.FIELD, head.facts.name)
    display = display_name(table, head.facets)
    return {
        "type": "COLUMN",
        "name": column,
        "nodeId": f"{node}:{column}",
        "namespace": table.namespace,
        "dataset": table.name,
        **({"displayName": display} if display else {}),
    }


def _nodes(candidates: Candidates, heads: Heads, kind: NameKind) -> list[JsonObject]:
    found: dict[Name, tuple[tuple[bool, int, str], Facets]] = {}
    for holder in (holder for holder in candidates.nodes if holder.kind is kind):
        names = [name for name in heads.names_of(holder) if _has(name, candidates.words)]
        if names and (facts := heads.facts(holder)):
            found[facts[0]] = min(_rank(name, candidates.words) for name in names), facts[1]
    named = [_node(kind, name, found[name][1]) for name in sorted(found, key=lambda name: (found[name][0], name))]
    told: dict[Name, JsonObject] = {}
    for holder in (holder for holder in candidates.texts if holder.kind is kind):
        facts, places = heads.facts(holder), heads.matched_in(holder, candidates.words)
        if facts and places and facts[0] not in found:
            told[facts[0]] = _node(kind, *facts) | {"matchedIn": places}
    return [*named, *(told[name] for name in sorted(told))]


def _of_query(reader: Reader, search: NameSearch, text: str) -> list[JsonObject]:
    """The jobs of the runs that an engine knows by an id, each with the run."""
    runs = search.runs_of_query(text)
    heads = Heads.of(reader, [job for job, _ in runs]) if runs else None
    found = [(run, facts) for job, run in runs if heads and (facts := heads.facts(job))]
    return [_node(NameKind.JOB, *facts) | {"runId": run, "matchedIn": [EXTERNAL_QUERY]} for run, facts in found]


def _is_named(datasets: Sequence[JsonObject], words: Sequence[str]) -> bool:
    """Whether the words are the name of a dataset, or its end: then they mean it, and not a column."""
    names = [datasets[0][member] for member in ("name", "displayName") if member in datasets[0]] if datasets else []
    return any(not _rank(name, words)[0] for name in names)


def _node(kind: NameKind, name: Name, facets: Facets) -> JsonObject:
    node_kind = NodeKind.JOB if kind is NameKind.JOB else NodeKind.DATASET
    display = display_name(name, facets) if node_kind is NodeKind.DATASET else called(facets)
    named = {**name.as_json(), **({"displayName": display} if display else {})}
    return {"type": node_kind.upper(), "nodeId": node_id(node_kind, name), **named}


def _labels(
    candidates: Candidates, heads: Heads, kind: NameKind, labels_of: Callable[[Holder], set[str]]
) -> list[JsonObject]:
    """Owners or tags, each with the nodes that have it now. A tag with a value was once listed only by its key."""
    nodes: dict[str, dict[Holder, JsonObject]] = {}
    for label in candidates.labels[kind]:
        for holder in label.holders:
            if facts := heads.facts(holder):
                for own in labels_of(holder):
                    if label.name in (plain_name(own), plain_name(own.partition("=")[0])):
                        nodes.setdefault(own, {})[holder] = _node(holder.kind, *facts)
    return [{"type": kind.name, "name": label, "nodes": [*found.values()]} for label, found in nodes.items()]


def _has(name: str, words: Sequence[str]) -> bool:
    """Whether each of the words, or phrases, begins at some word of a name."""
    known = f" {plain_name(name)}"
    return all(f" {word}" in known for word in words)


def _rank(name: str, words: Sequence[str]) -> tuple[bool, int, str]:
    """Names that end with the words come first, then short ones."""
    return not f" {plain_name(name)}".endswith(f" {' '.join(words)}"), len(name), name
