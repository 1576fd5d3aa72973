"""Keeps tables of the Glue Data Catalog in step with the graph: a window of the stream at a time, each table once.

A table's parameters follow from the present graph, not from the records. So records may come late, twice or in any
order. A window that is delivered twice writes nothing the second time.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from headwater.catalog import parameters
from headwater.catalog.affected_tables import AffectedTables
from headwater.catalog.flows import datasets_of_newest_runs, is_complete
from headwater.catalog.glue import Busy, CallRejected, GlueCatalog, Missing
from headwater.catalog.glue_retry import GlueRetry
from headwater.catalog.identity import TableRef
from headwater.catalog.lineage import TableLineage, adjacent, read_lineage
from headwater.catalog.resolver import Resolver
from headwater.catalog.table_writer import CatalogTable, Creation, Writer
from headwater.catalog.tables import Tables
from headwater.graph.names.naming import Naming
from headwater.read.reader import Reader
from headwater.store.errors import CorruptItem, StorageError
from headwater.store.graph_store import GraphReader
from headwater.store.stream_records import StateChange, StreamRecord, read_change, sequence_of

if TYPE_CHECKING:
    from headwater.store.bodies import Bodies


@dataclass
class SyncResult:
    """The outcome of a window.

    failed      sequence numbers of the records to deliver again
    updated     tables whose parameters were changed
    created     tables that were created
    refused     tables that Headwater may not read or write, by Glue or Lake Formation
    postponed   tables that could not be written at the moment
    partitions  partitions that were written
    corrupt     1 if an item could not be read, so that records of the window were not processed
    """

    failed: set[str] = field(default_factory=set)
    updated: int = 0
    created: int = 0
    refused: int = 0
    postponed: int = 0
    partitions: int = 0
    corrupt: int = 0


@dataclass(frozen=True)
class Synchroniser:
    """Writes the tables that a window affects."""

    store: GraphReader
    bucket: "Bodies"
    glue: GlueCatalog
    resolver: Resolver
    creation: Creation
    api_url: str
    naming: Naming
    log: Callable[[str, BaseException], None]
    sleep: Callable[[float], None]

    def synchronise(self, records: Iterable[StreamRecord], has_time: Callable[[], bool] = lambda: True) -> SyncResult:
        """Writes the tables that the changes in a window affect. Raises StorageError if the table cannot be used."""
        result = SyncResult()
        affected = AffectedTables.of(self._changes(records, result))
        if not affected:
            return result
        window = _Window(self, affected, result, GlueRetry(self.sleep, has_time))
        try:
            window.synchronise(Reader(self.store.for_one_request(), self.naming))
        except CorruptItem as error:
            self.log("the window is left for later, since an item cannot be read", error)
            result.corrupt += 1
            result.failed |= affected.records
        return result

    def _changes(self, records: Iterable[StreamRecord], result: SyncResult) -> Iterator[StateChange]:
        """The changes up to the first record that cannot be read. The stream delivers again from that record on."""
        for record in records:
            try:
                yield read_change(record, self.bucket)
            except StorageError as error:
                self.log("a record could not be read for now", error)
                result.corrupt += isinstance(error, CorruptItem)
                result.failed.add(sequence_of(record))
                return


@dataclass(frozen=True)
class _Window:
    """A window of the stream. A table that fails does not hold up the other tables."""

    synchroniser: Synchroniser
    affected: AffectedTables
    result: SyncResult
    retry: GlueRetry

    def synchronise(self, reader: Reader) -> None:
        for job, head in reader.jobs(self.affected.completed, usages=False).items():
            if not is_complete(head):
                self.affected.jobs[job] |= self.affected.completed[job]
        for job, used in datasets_of_newest_runs(reader, self.affected.jobs).items():
            self.affected.mark(used, self.affected.jobs[job])
        for dataset, neighbours in adjacent(reader, self.affected.relabelled).items():
            self.affected.mark(neighbours, self.affected.relabelled[dataset])
        tables, lineage = self._find(reader)
        for ref, table in tables.items():
            with self._isolated(str(ref), table.records):
                self._write(ref, table, lineage.get(ref))

    def _find(self, reader: Reader) -> tuple[dict[TableRef, CatalogTable], dict[TableRef, TableLineage]]:
        """The affected tables, and their lineage."""
        resolver = self.synchroniser.resolver
        tables = Tables(self.synchroniser.glue, resolver, self.synchroniser.creation, self.retry)
        for dataset in tables.affected_datasets(reader, self.affected):
            with self._isolated(str(dataset.head.facts.name), dataset.records):
                tables.find(dataset)
        ids = {ref: resolver.ids_of(ref, table.definition) | table.ids for ref, table in tables.by_ref.items()}
        return tables.by_ref, read_lineage(reader, resolver, ids)

    def _write(self, ref: TableRef, table: CatalogTable, lineage: TableLineage | None) -> None:
        if not self.retry.has_time():
            raise Busy("there was no time left for the table")
        glue, creation = self.synchroniser.glue, self.synchroniser.creation
        wanted = parameters.of_table(lineage, self.synchroniser.api_url) if lineage else {}
        is_written = Writer(glue, creation, self.retry).write(ref, table, wanted)
        if table.is_new:
            self.result.created += is_written
        else:
            self.result.updated += is_written
        partitions = self.affected.partitions
        paths = {path: run for dataset in table.ids for path, run in partitions.get(dataset, {}).items()}
        if paths:
            self.result.partitions += parameters.write_partitions(glue, self.retry, ref, table.definition, paths)

    @contextmanager
    def _isolated(self, name: str, records: set[str]) -> Iterator[None]:
        """Keeps a failure in the `with` block from other tables.

        After a refusal the records are not delivered again, since a missing grant stays missing for long. After any
        other failure the records are delivered again.
        """
        log = self.synchroniser.log
        try:
            yield
        except Missing as error:
            log(f"{name} went away", error)
        except CallRejected as error:
            log(f"{name} may not be read or written", error)
            self.result.refused += 1
        except Exception as error:  # noqa: BLE001 - a fault in one table must not hold up the other tables
            log(f"{name} could not be brought up to date for now", error)
            self.result.postponed += 1
            self.result.failed |= records
