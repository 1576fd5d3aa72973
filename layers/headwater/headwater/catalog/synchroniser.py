"""Keeps tables of the Glue Data Catalog in step with the graph: a window of the stream at a time, each table once.

What a table's parameters are to say is read from the graph as it is now, not from the records: so it does not matter
how often, in which order or how late those come, and a window that is seen twice writes nothing the second time.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from headwater.catalog import parameters
from headwater.catalog.affected_tables import AffectedTables
from headwater.catalog.creation import Creation
from headwater.catalog.glue import Busy, CallRejected, GlueCatalog, Missing
from headwater.catalog.glue_retry import GlueRetry
from headwater.catalog.identity import TableRef
from headwater.catalog.lineage import TableLineage, adjacent, read_lineage
from headwater.catalog.partitions import write_partitions
from headwater.catalog.resolver import Resolver
from headwater.catalog.table_writer import Writer
from headwater.catalog.tables import FoundTable, Tables
from headwater.graph.naming import Naming
from headwater.read.reader import Reader
from headwater.store.request_cache import RequestCache
from headwater.store.stream_records import ItemChange
from headwater.store.table import Table


@dataclass
class SyncResult:
    """What became of a window: the sequence numbers of records that are to come again, and counts of tables."""

    failed: set[str] = field(default_factory=set)
    updated: int = 0
    created: int = 0
    refused: int = 0
    postponed: int = 0
    partitions: int = 0


@dataclass(frozen=True)
class Synchroniser:
    """What the catalogue is kept in step with, and how."""

    table: Table
    glue: GlueCatalog
    resolver: Resolver
    creation: Creation
    api_url: str
    naming: Naming
    log: Callable[[str, BaseException], None]
    sleep: Callable[[float], None]

    def synchronise(self, changes: Sequence[ItemChange], has_time: Callable[[], bool] = lambda: True) -> SyncResult:
        """Writes what these changes make different. Raises StorageError if the graph cannot be read."""
        result, affected = SyncResult(), AffectedTables.of(changes)
        if not affected.datasets:
            return result
        window = _Window(self, affected, result, GlueRetry(self.sleep, has_time))
        window.synchronise(Reader(RequestCache(self.table), self.naming))
        return result


@dataclass(frozen=True)
class _Window:
    """One window. A table that fails holds up no other."""

    of: Synchroniser
    affected: AffectedTables
    result: SyncResult
    retry: GlueRetry

    def synchronise(self, reader: Reader) -> None:
        for dataset, others in adjacent(reader, self.affected.relabelled).items():
            self.affected.mark(others, self.affected.relabelled[dataset])
        tables = Tables(self.of.glue, self.of.resolver, self.of.creation, self.retry)
        for affected_dataset in tables.affected_datasets(reader, self.affected):
            with self._apart(str(affected_dataset.head.facts.name), affected_dataset.records):
                tables.find(affected_dataset)
        found = tables.found
        ids = {table: self.of.resolver.ids_of(table, each.definition) | each.ids for table, each in found.items()}
        lineage = read_lineage(reader, self.of.resolver, ids)
        for table, each in found.items():
            with self._apart(str(table), each.records):
                self._write(table, each, lineage.get(table))

    def _write(self, table: TableRef, found: FoundTable, lineage: TableLineage | None) -> None:
        if not self.retry.has_time():
            raise Busy("there was no time left for it")
        said = parameters.of_table(lineage, self.of.api_url) if lineage else {}
        is_written = Writer(self.of.glue, self.of.creation, self.retry).write(table, found, said)
        if found.is_new:
            self.result.created += is_written
        else:
            self.result.updated += is_written
        written = {path: run for each in found.ids for path, run in self.affected.partitions.get(each, {}).items()}
        if written:
            count = write_partitions(self.of.glue, self.retry, table, found.definition, written)
            self.result.partitions += count

    @contextmanager
    def _apart(self, what: str, records: set[str]) -> Iterator[None]:
        """Reports what fails within. A refusal stands until somebody grants what is missing: to try it again and again
        would only hold up the stream. All else is tried again with the records that led here."""
        try:
            yield
        except Missing as error:
            self.of.log(f"{what} went away", error)
        except CallRejected as error:
            self.of.log(f"{what} may not be read or written", error)
            self.result.refused += 1
        except Exception as error:  # noqa: BLE001 - a bug, too, is one table's
            self.of.log(f"{what} could not be brought up to date for now", error)
            self.result.postponed += 1
            self.result.failed |= records
