"""The graph store: the interface of storage for use cases. It takes and returns the states of the domain, by their ids.

    snapshot = store.read(ReadRequest(jobs=[...], runs=[...]))      one call for up to a hundred states
    snapshot.jobs.get(id), snapshot.runs.of(ids)                states, as far as they are stored
    store.save([head, run], snapshot)                           each on condition that no other writer changed the state

Only this package knows how states become items, and the keys of the items.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache as memoized
from itertools import groupby, islice, zip_longest
from typing import TYPE_CHECKING, Any, TypeVar

from headwater.concurrent import give_way
from headwater.graph.facets.curation import SETTINGS_FACET, SETTINGS_NAME
from headwater.graph.names.identity import (
    AliasId,
    DatasetId,
    EventId,
    JobId,
    JobRunId,
    QualityId,
    SchemaId,
    SentNameId,
    WriteId,
    dataset_id,
)
from headwater.graph.states.audit import AuditEntry, RefusalEntry
from headwater.graph.states.neighbours import NeighbourPage, Neighbours, NeighboursRead, Side
from headwater.graph.states.rhythm import DueRun, RunTimes
from headwater.graph.states.run import RunState
from headwater.graph.states.search_terms import SearchTerm
from headwater.graph.states.stored_states import DatasetAlert, KnownNamespace, Severity
from headwater.openlineage.event import EventKind, Name
from headwater.openlineage.instant import Instant
from headwater.store import audit_log, keys, neighbour_pages
from headwater.store.caches import KeptNode, Reads, RequestCache, StateCache
from headwater.store.errors import Conflict, CorruptItem
from headwater.store.item_type import ItemStates
from headwater.store.items.audit import AUDIT_ENTRY, REFUSAL
from headwater.store.items.codec import DOC, SCHEMA, Codec
from headwater.store.items.jobs import JOB_UNCHECKED, JOB_WITHOUT_USAGES
from headwater.store.items.names import encode_search_term
from headwater.store.items.rhythms import DUE, RUN_TIMES, due_run
from headwater.store.items.runs import OPEN_IN
from headwater.store.keys import Key
from headwater.store.kinds import CODECS, ItemTypes, JoinedState, State, encode, type_of
from headwater.store.ranges import Listing, TimeLine
from headwater.store.snapshot import Preconditions, ReadRequest, Snapshot
from headwater.store.table import (
    HIGHEST,
    LOWEST,
    NO_PART,
    ConditionalPut,
    Item,
    ItemReader,
    Retention,
    Table,
    TableReader,
)

if TYPE_CHECKING:
    from headwater.graph.states.visibility import Visibility

Entry = TypeVar("Entry")
Made = TypeVar("Made")
Id = TypeVar("Id")
NodeOf = TypeVar("NodeOf", bound=str)

TERMS_AT_ONCE = 200
"""They take a millisecond."""
_JOBS_WITHOUT_USAGES = replace(ItemTypes.jobs, codec=JOB_WITHOUT_USAGES)
_JOBS_UNCHECKED = replace(ItemTypes.jobs, codec=JOB_UNCHECKED)


class GraphReader:
    """The graph store for reading. A corrupt item is given to `on_corrupt`; without `on_corrupt` it raises.

    With `cache`, the states of items that were read before are not decoded again. With `visibility`, the states are
    what a caller sees of them.
    """

    def __init__(
        self,
        table: TableReader,
        on_corrupt: Callable[[CorruptItem], None] | None = None,
        cache: StateCache | None = None,
        request: RequestCache | None = None,
        visibility: "Visibility | None" = None,
    ) -> None:
        self._read_table = table
        self._reads = request.reads if request else None
        self._heads = _JOBS_WITHOUT_USAGES
        self._on_corrupt = on_corrupt
        self.cache = cache
        self._request = request
        self._items: ItemReader = request or table
        self._commit = table.last_commit() if request and cache else None
        self.visibility = visibility

    @property
    def _table(self) -> TableReader:
        """For what is read of lists: no partition tells whether it has changed."""
        if self._reads:
            self._reads.all = False
        return self._read_table

    def holds_between(self, since: Instant, until: Instant) -> None:
        """What is made of these reads may be something else at other times, without a write."""
        if self._reads:
            self._reads.since, self._reads.until = max(self._reads.since, since), min(self._reads.until, until)

    def for_one_request(
        self, on_corrupt: Callable[[CorruptItem], None] | None = None, visibility: "Visibility | None" = None
    ) -> "GraphReader":
        """A reader with a request cache: it reads no item twice."""
        return GraphReader(self._read_table, on_corrupt, self.cache, RequestCache(self._read_table), visibility)

    def for_one_pass(self, on_corrupt: Callable[[CorruptItem], None]) -> "GraphReader":
        """A reader for work that looks at many jobs once: no cache keeps their states, and their heads without usages
        are taken as they are stored, which is a third of the work."""
        reader = GraphReader(self._read_table, on_corrupt, request=RequestCache(self._read_table))
        reader._heads = _JOBS_UNCHECKED
        return reader

    def read(
        self, wanted: ReadRequest, *, beside: Snapshot | None = None, unless_changed: Preconditions | None = None
    ) -> Snapshot:
        """The wanted states, as far as they are stored, beside those of another snapshot. Raises Conflict if a
        precondition does not hold."""
        wanted_keys = wanted.keys | unless_changed.versions.keys() if unless_changed else wanted.keys
        items = self._items.read(wanted_keys) if wanted_keys else {}
        if unless_changed and not unless_changed.hold(items):
            raise Conflict("a head or run that the choice of a head depends on has changed")
        return beside.with_items(items) if beside else Snapshot(self._states(items))

    def read_heads(self, *, jobs: Collection[JobId] = (), datasets: Collection[DatasetId] = ()) -> Snapshot:
        """Heads of datasets, and heads of jobs without their usages, which a traversal does not need."""
        wanted_keys = ReadRequest(jobs=jobs, datasets=datasets).keys
        items = self._items.read(wanted_keys, DOC) if wanted_keys else {}
        return Snapshot(self._states(items), self._heads)

    def stored_alerts(self, ids: Iterable[str]) -> set[str]:
        """Which of some alerts are stored, whoever the caller is."""
        wanted = {keys.alert(alert): alert for alert in ids}
        return {wanted[key] for key in self._items.read(wanted, NO_PART)} if wanted else set()

    def places_in(self, search_list: str, *, after: str = LOWEST, before: str = HIGHEST, limit: int) -> list[str]:
        """Up to `limit` places with `after` <= place < `before` in a list of the search: one call."""
        items = self._table.newest_items(keys.search_list(search_list), after, before, limit)
        return [keys.search_term_of(item.key).place for item in islice(items, limit)]

    def made(self, make: Callable[..., Made], state: object, *given: Any) -> Made:
        """What `make` makes of a state that was read and of what else is given, such as the JSON of a run. It is kept
        as long as the cache has the state, and nobody may change it."""
        return self.cache.made(make, state, *given) if self.cache else make(state, *given)

    def made_of_each(self, make: Callable[..., Made], said: Iterable[tuple[object, tuple[Any, ...]]]) -> list[Made]:
        """Likewise of each of some states, with what else is given for it."""
        return self.cache.made_of_each(make, said) if self.cache else [make(state, *given) for state, given in said]

    def made_of_reads(
        self, make: Callable[..., Iterable[Made]], states: Sequence[object], now: Instant, *given: Any
    ) -> list[Made]:
        """What `make` makes of a reader and of some states that were read, of each something, as of a time; what else
        is given does not change it. It is kept with the state until something is written where the reader has read.

        Of states that nothing was made of, it is made together; the others that were kept, each by itself: what is made
        together is out of date together. On AWS nothing is kept, nor for a caller of some namespaces."""
        commit, cache = self._commit, self.cache
        if commit is None or cache is None or self.visibility or self._reads:
            return list(make(self, states, now, *given))

        def made(states: Sequence[object]) -> list[Made]:
            reads = Reads(self._read_table, commit)
            request = RequestCache(self._read_table, reads)
            reader = GraphReader(self._read_table, reads.noting(self._on_corrupt), cache, request)
            values = list(make(reader, states, now, *given))
            for state, value in zip(states, values, strict=True) if reads.all else ():
                cache.keep_made(make, state, (reads,), value)
            return values

        kept = [cache.kept(make, state) for state in states]
        unknown = [state for state, known in zip(states, kept, strict=True) if known is None]
        new = iter(made(unknown) if unknown else ())
        return [
            next(new) if known is None else known[1] if self._holds(known[0][0], now) else made([state])[0]
            for state, known in zip(states, kept, strict=True)
        ]

    def _holds(self, reads: Reads, now: Instant) -> bool:
        """Whether nothing was written by the commit of this request where something was read."""
        commit, last = self._commit or 0, 0
        if reads.commit < commit:
            last = self._read_table.last_commit(reads.partitions) or 0
        if last > reads.commit or not reads.since <= now < reads.until or reads.table is not self._read_table:
            return False
        reads.commit = max(reads.commit, commit)
        return True

    def kept_nodes(self, ids: Iterable[NodeOf]) -> dict[NodeOf, Any]:
        """What is kept of nodes (`keep_node`) whose items are still stored as they were, and of which the caller sees
        all."""
        if self._commit is None or self.cache is None or self._request is None:
            return {}
        known, commit = self.cache.nodes(ids), self._commit
        if self.visibility:
            sees = memoized(self.visibility.sees)
            known = {node: kept for node, kept in known.items() if all(map(sees, kept.namespaces))}
        is_current = self._read_table.last_commit() == commit
        doubtful = {node: kept for node, kept in known.items() if kept.commit != commit} if is_current else {**known}
        if doubtful:
            stored = self._request.read([item.key for kept in doubtful.values() for item in kept.items])
            for node, kept in doubtful.items():
                if all(stored.get(item.key) == item for item in kept.items):
                    kept.commit = self._commit
                else:
                    del known[node]
        self._request.add(known.values())
        return {node: kept.value for node, kept in known.items()}

    def keep_node(self, node: str, state: object, made_of: ReadRequest, value: Any, names: Iterable[Name]) -> None:
        """Keeps what was made of a node's state and of others, which this request has read, and which say nothing but
        these names of the jobs and datasets of any namespace."""
        if self._commit is None or self.cache is None or self._request is None:
            return
        items = tuple(self._request.read(made_of.keys).values())
        if all(item.is_as_written for item in items):
            namespaces = frozenset(name.namespace for name in names)
            self.cache.keep_node(node, state, KeptNode(value, namespaces, items, self._commit))

    def neighbours(self, dataset: DatasetId) -> Neighbours:
        """Every job that has ever read or written a dataset."""
        return neighbour_pages.read_neighbours(self.read, dataset)

    def neighbours_below(
        self, first_pages: Mapping[DatasetId, NeighbourPage], sides: Collection[Side], most: int | None = None
    ) -> NeighboursRead:
        """The neighbours of datasets on some sides, from their first pages on: one read for each further level."""
        return neighbour_pages.read_below(self.read, first_pages, sides, most)

    def runs_of(self, job: JobId) -> TimeLine[JobRunId]:
        return self._time_line(keys.job_head(job).pk, keys.run_of)

    def writes_of(self, dataset: DatasetId) -> TimeLine[WriteId]:
        return self._time_line(keys.dataset_head(dataset).pk, keys.write_of)

    def quality_of(self, dataset: DatasetId) -> TimeLine[QualityId]:
        return self._time_line(keys.dataset_head(dataset).pk, keys.quality_of, keys.QUALITY)

    def _time_line(self, pk: str, identify: Callable[[Key], Id], prefix: str = "") -> TimeLine[Id]:
        if self._reads:
            self._reads.partitions.add(pk)
        return TimeLine(self._read_table, pk, identify, prefix)

    def all_namespaces(self) -> list[KnownNamespace]:
        """Every namespace of a job or dataset."""
        ids = [keys.namespace_of(entry.key) for entry in self._table.list_entries(keys.ALL_NAMESPACES)]
        return self.read(ReadRequest(namespaces=ids)).namespaces.of(ids)

    def jobs_in(self, namespace: str) -> Listing[JobId]:
        """The jobs of a namespace, by the start of their newest run."""
        return Listing(self._table, keys.all_jobs_of(namespace), keys.job_of)

    def datasets_in(self, namespace: str, *, named_by_others: bool = False) -> Listing[DatasetId]:
        """The datasets of a namespace, by name; or those that only the jobs of others have named."""
        list_of = keys.named_by_others_of if named_by_others else keys.datasets_of
        return Listing(self._table, [list_of(namespace)], keys.dataset_of)

    def events_on(self, day: str) -> Listing[EventId]:
        """The events of a day (`2026-11-20`), by event time."""
        return Listing(self._table, keys.all_events_of(day), keys.event_of)

    def count_events(self, day: str, kinds: Collection[EventKind], *, after: str, before: str | None) -> int:
        """The count of a day's events of some kinds between two positions."""
        beginnings = {""} if len(set(kinds)) == len(EventKind) else {keys.EVENT_PARTITIONS[kind] for kind in kinds}
        events = self.events_on(day)
        return sum(events.count(after=after, before=before, pk=pk) for pk in beginnings)

    def children_of(self, run_id: str) -> Listing[JobRunId]:
        """The runs that name a run as their parent, by start."""
        return Listing(self._table, [keys.children_of(run_id)], keys.run_of)

    def top_runs(self, outcome: RunState) -> list[Listing[JobRunId]]:
        """The runs without a parent that have an outcome, by the time of the outcome: lists to be merged."""
        lists = [keys.top_runs(outcome, shard) for shard in keys.LIST_SHARDS]
        return [Listing(self._table, [name], keys.run_of) for name in lists]

    def alerts(self, severity: Severity) -> list[Listing[str]]:
        """The alerts of a severity, by time: lists to be merged."""
        lists = [keys.alerts_of(severity, shard) for shard in keys.LIST_SHARDS]
        return [Listing(self._table, [name], keys.alert_of) for name in lists]

    def alerts_of(self, dataset: DatasetId) -> Iterator[DatasetAlert]:
        """The alerts of a dataset, by time, read consistently: none is missing, as one might be in a lagging index."""
        return map(keys.dataset_alert_of, self._table.partition(keys.alerts_of_dataset(dataset), ""))

    def names_of(self, dataset: DatasetId) -> Listing[AliasId]:
        """The aliases of a dataset, by the time at which each was first sent."""
        return Listing(self._table, [keys.names_of(dataset)], keys.alias_of)

    def event_days(self) -> list[str]:
        """The days on which there are events, the earliest first."""
        return [key.sk for key in self._table.partition(keys.DAYS, "")]

    def audit_entries(self, day: str, *, after: str, before: str, limit: int) -> Iterator[AuditEntry]:
        """The audit entries of a day with `after` <= position < `before`, newest first. A time is a position, too."""
        items = audit_log.newest_items(self._table, keys.audit_entries(day), after or LOWEST, before, limit)
        return self._entries(AUDIT_ENTRY, items)

    def refusals(self, day: str, *, after: str, limit: int) -> Iterator[RefusalEntry]:
        """The refusals of a day since a time, newest first."""
        items = audit_log.newest_items(self._table, keys.refusals(day), after, HIGHEST, limit)
        return self._entries(REFUSAL, items)

    def schemas_of(self, dataset: DatasetId) -> Iterator[SchemaId]:
        return map(keys.schema_of, self._table.partition(keys.dataset_head(dataset).pk, keys.SCHEMA))

    def writes_with_version(self, dataset: DatasetId, version: str) -> Iterator[WriteId]:
        """The writes of a dataset with one version: one for each job of the run."""
        partition = self._table.partition(keys.dataset_head(dataset).pk, keys.writes_with(version))
        return map(keys.write_of, partition)

    def aliases_of_name(self, sent: SentNameId) -> Iterator[AliasId]:
        return map(keys.alias_of, self._table.partition(keys.aliases_of(sent), ""))

    def events_of_run(self, run_id: str, *, at: str = "") -> Iterator[EventId]:
        """The events of a run, by event time; with `at`, the events whose time begins with `at`."""
        return map(keys.event_of, self._table.partition(keys.events_of_run(run_id), keys.EVENT + at))

    def newest_events_of_run(
        self, run_id: str, limit: int, before: str | None = None, *, at_a_time: int
    ) -> Iterator[tuple[EventId, dict[str, Any] | None]]:
        """Up to `limit` events of a run before a position, newest first, each read when the caller gets to it. None
        stands for an event that cannot be read or that the caller may not see."""
        end = keys.EVENT + (before or HIGHEST)
        items = self._table.newest_items(keys.events_of_run(run_id), keys.EVENT, end, at_a_time)
        for item in islice(items, limit):
            event = keys.event_of(item.key)
            yield event, Snapshot(self._states({item.key: item})).events.get(event)

    def runs_with_id(self, run_id: str) -> list[JobRunId]:
        """The runs with a run id: one for each job of the run. The index may lag by a moment."""
        return list(map(keys.run_of, self._table.runs(run_id)))

    def open_runs(self, before: Instant) -> list[JobRunId]:
        """The open runs that started before a time: runs that have not ended, nor were given up as abandoned."""
        return list(map(keys.run_of, self._table.open_runs(before)))

    def due_jobs(self, now: Instant) -> list[JobId]:
        """The jobs whose next run is later than usual, by what was known when their last run ended."""
        return list(map(keys.rhythm_of, self._table.open_runs(now, keys.DUE_JOBS)))

    def due_jobs_latest_first(self, now: Instant) -> list[JobId]:
        """The same in about the order of their times, since each shard of the index has its share of them."""
        shards = [list(jobs)[::-1] for _, jobs in groupby(self.due_jobs(now), keys.due_jobs)]
        return [job for jobs in zip_longest(*shards) for job in jobs if job]

    def due_runs(self, jobs: Iterable[JobId]) -> dict[JobId, DueRun]:
        """When the next runs of jobs are due, as far as their rhythms' items tell it: a tenth of the work of reading
        the rhythms. A run may have begun since."""
        wanted = {keys.rhythm(job): job for job in jobs}
        items = self._items.read(wanted, DUE) if wanted else {}
        return {wanted[key]: found for key, item in items.items() if (found := due_run(item))}

    def run_times(self, rhythms: Snapshot) -> dict[JobId, RunTimes]:
        """When the runs of jobs began and ended, by their rhythms, of which no more is decoded."""
        states = self._states(rhythms.items)
        read = {keys.rhythm_of(key): states.state(key, RUN_TIMES) for key in rhythms.items}
        return {job: times for job, times in read.items() if times}

    def settings(self) -> dict[str, Any] | None:
        """The settings that people have put. They apply whoever the caller is."""
        settings = dataset_id(SETTINGS_NAME)
        items = self._items.read({keys.dataset_head(settings)})
        head = Snapshot(ItemStates(items, self._on_corrupt, self.cache, None)).datasets.get(settings)
        facet = head.facets.get(SETTINGS_FACET) if head else None
        return facet if isinstance(facet, dict) else None

    def _entries(self, codec: Codec[Entry], items: Iterable[Item]) -> Iterator[Entry]:
        for item in items:
            try:
                yield codec.read(item)
            except CorruptItem as fault:
                if self._on_corrupt is None:
                    raise
                self._on_corrupt(fault)

    def _states(self, items: Mapping[Key, Item]) -> ItemStates:
        return ItemStates(items, self._on_corrupt, self.cache, self.visibility)


class GraphStore(GraphReader):
    """The graph store for reading and writing. With `cache`, the states that it wrote are not decoded when read."""

    def __init__(
        self, table: Table, retention: Retention, cache: StateCache | None = None, *, is_alone: bool = False
    ) -> None:
        super().__init__(table, cache=cache)
        self._writable = table
        self._retention = retention
        self.is_alone = is_alone

    def on(self, transaction: Table) -> "GraphStore":
        """This store in a transaction of its table: it `is_alone`, nobody else writes until the end."""
        return GraphStore(transaction, self._retention, self.cache, is_alone=True)

    def read_eventually(self, wanted: ReadRequest) -> Snapshot:
        """The wanted states, each as it is or was a moment ago, for half the price. Saving upon one that has changed
        since is a Conflict."""
        return Snapshot(self._states(self._writable.read_eventually(wanted.keys)))

    def save(self, states: Iterable[State], read: Snapshot) -> Snapshot:
        """Writes the states that differ from the snapshot, each on condition that its item is still as it was read.

        An item of an older version is written in the newest. Returns the snapshot with the states written. Raises
        Conflict, after trying all states, if another writer was faster with any.
        """
        encoded = {item.key: (item, state) for state in states for item in [self._encoded(state, read)]}
        before = read.items
        changes = [ConditionalPut(item, before.get(key)) for key, (item, _) in encoded.items()]
        changes = [change for change in changes if not _is_same(change)]
        if changes:
            self._writable.change(changes)
        if self.cache and not self._retention.keeps_former_forms:
            for item, _ in changes:
                self.cache.keep(item, CODECS[item.labels["kind"]], encoded[item.key][1])
        return read.with_items({change.item.key: change.item for change in changes})

    def join(self, states: Iterable[JoinedState], read: Snapshot) -> Snapshot:
        """Saves each state joined with the state of its id in the snapshot: the law of the fold."""
        joined = ((state.join(known), known) for state in states for known in [read.known(state)])
        return self.save([state for state, known in joined if state is not known or self._is_older(state, read)], read)

    @staticmethod
    def _is_older(state: JoinedState, read: Snapshot) -> bool:
        """Whether a stored state is still in an older form."""
        row = type_of(state)
        return read.items[row.key(state.id)].labels.get(SCHEMA) != str(row.codec.schema)

    def put(self, states: Iterable[State], read: Snapshot) -> None:
        """Writes states without a condition: states that follow from their ids, such as events, column lineage,
        days. Raises CorruptItem, before any is written, if the snapshot has one in a newer version."""
        items, before = [self._encoded(state, read) for state in states], read.items
        for item in items if before else ():
            if stored := before.get(item.key):
                CODECS[item.labels["kind"]].check_version(stored)
        self._writable.put(items)

    @staticmethod
    def schemas_with_terms(read: Snapshot) -> list[SchemaId]:
        """The schemas that were read whose columns have search terms. 0.1.0 wrote none: its items say no form."""
        return [each for each in read.schemas.all() if read.items[keys.schema(each)].labels.get(SCHEMA, "1") != "1"]

    def put_new_terms(self, terms: Iterable[SearchTerm]) -> None:
        """Writes the search terms that are not stored."""
        items: list[Item] = []
        for number, term in enumerate(sorted(terms)):
            if not number % TERMS_AT_ONCE:
                give_way()
            items.append(encode_search_term(term, self._retention))
        stored = self._items.read([item.key for item in items], NO_PART) if items else {}
        self._writable.put([item for item in items if item.key not in stored])

    def give_up(self, run: JobRunId, read: Snapshot) -> None:
        """Removes an abandoned run from the open runs, until another event of the run arrives."""
        self._close(read.items[keys.run(run)])

    def expect_no_more(self, job: JobId, read: Snapshot) -> None:
        """Removes a job from the due jobs, until another of its runs ends."""
        self._close(read.items[keys.rhythm(job)])

    def _encoded(self, state: State, read: Snapshot) -> Item:
        give_way()
        return encode(state, self._retention, read.items)

    def _close(self, item: Item) -> None:
        labels = {name: text for name, text in item.labels.items() if name != OPEN_IN}
        self._writable.change([ConditionalPut(Item(item.key, labels, item.parts, item.expires_at), item)])


def _is_same(change: ConditionalPut) -> bool:
    """Whether an item would be put in place of an equal one, as equal versions would show: content is compared faster
    than hashed."""
    item, stored = change
    return stored is not None and (item.parts, item.labels, item.expires_at) == (
        stored.parts,
        stored.labels,
        stored.expires_at,
    )
