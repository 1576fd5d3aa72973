"""Imports the descriptions of the catalogue's tables into the graph.

All tables are read, in pages. An event is sent for each dataset whose table has another description than at the last
import; that description is a facet of the dataset (`headwater_catalog`). No event is sent for an unchanged table, so an
owner or description that a producer sent since the last import stays.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from headwater.access.event_sender import EventSender, Sender
from headwater.access.principal import Principal, Scope
from headwater.catalog.description import TABLE, Description, description_of, event_of, facets_between
from headwater.catalog.glue import CatalogError, GlueCatalog, Missing, Table
from headwater.catalog.glue_retry import GlueRetry
from headwater.catalog.identity import TableRef
from headwater.catalog.resolver import Resolver
from headwater.graph.facets.curation import CATALOG
from headwater.graph.names.naming import Naming
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.stored_states import CatalogProgress
from headwater.openlineage import exact_json
from headwater.openlineage.event import Name
from headwater.openlineage.instant import instant_of
from headwater.read.reader import Reader
from headwater.store.bodies import Bodies
from headwater.store.errors import CorruptItem
from headwater.store.graph_store import GraphStore
from headwater.store.snapshot import ReadRequest

_OURSELVES = Principal("catalog", frozenset({Scope.ADMIN}), ("*",))


@dataclass
class GlueImportResult:
    """The outcome of one import.

    read      tables that were read
    datasets  datasets for which events were sent
    refused   databases whose tables could not be read
    corrupt   pages of tables that are left for the next import, since an item of the graph cannot be read
    is_whole  whether the last table was read
    """

    read: int = 0
    datasets: set[Name] = field(default_factory=set)
    refused: int = 0
    corrupt: int = 0
    is_whole: bool = False


@dataclass(frozen=True)
class GlueImport:
    """Reads the catalogue and sends events."""

    store: GraphStore
    queue: Sender
    bucket: Bodies
    glue: GlueCatalog
    resolver: Resolver
    naming: Naming
    log: Callable[[str, BaseException], None]
    sleep: Callable[[float], None]

    def read(self, now: datetime, has_time: Callable[[], bool]) -> GlueImportResult:
        """Reads tables from the position where the last import stopped.

        Raises StorageError or CatalogError. The next import then sends the events of the last page again, which changes
        nothing.
        """
        result, retry = GlueImportResult(), GlueRetry(self.sleep, has_time)
        stored = self.store.read(ReadRequest(catalog_progress=True))
        progress = stored.catalog_progress() or CatalogProgress()
        for database in [name for name in retry(self.glue.databases) if name >= progress.database]:
            token = progress.token if database == progress.database else ""
            try:
                token = self._read(database, token, result, now, retry)
            except CatalogError as error:
                self.log(f"the tables of {database} could not be read", error)
                result.refused += 1
                token = ""
            if not has_time():
                self.store.put([CatalogProgress(database if token else f"{database}\0", token)], stored)
                return result
        if progress.database:
            self.store.put([CatalogProgress()], stored)
        result.is_whole = True
        return result

    def _read(self, database: str, token: str, result: GlueImportResult, now: datetime, retry: GlueRetry) -> str:
        """Reads the pages of a database's tables while there is time. Returns the token of the next page."""
        while True:
            current = token
            page, token = retry(lambda: self.glue.tables(database, current))  # noqa: B023 - called at once
            try:
                self._send(database, page, now, result)
            except CorruptItem as error:
                self.log(f"a page of the tables of {database} is left for the next import", error)
                result.corrupt += 1
            if not token or not retry.has_time():
                return token

    def _send(self, database: str, page: Sequence[Table], now: datetime, result: GlueImportResult) -> None:
        facets: dict[Name, Mapping[str, object]] = {}
        for name, changed in self._changed_facets(database, page):
            if name not in result.datasets:
                facets.setdefault(name, changed)
        texts = [exact_json.dumps(event_of(name, changed, instant_of(now))) for name, changed in facets.items()]
        if texts:
            EventSender(_OURSELVES, self.queue, self.bucket, self.resolver.naming, now).send_all(texts)
        result.read += len(page)
        result.datasets |= facets.keys()

    def _changed_facets(self, database: str, page: Sequence[Table]) -> Iterator[tuple[Name, Mapping[str, object]]]:
        """The datasets of the tables on a page, with the facets that differ from the tables' descriptions."""
        tables = {TableRef.of(database, definition["Name"]): definition for definition in page}
        ids = {table: self.resolver.ids_of(table, definition) for table, definition in tables.items()}
        reader = Reader(self.store.for_one_request(), self.naming)
        neighbourhood = reader.neighbourhood({dataset for of_table in ids.values() for dataset in of_table}, ())
        for table, definition in tables.items():
            for dataset in {
                neighbourhood.representative(dataset) for dataset in ids[table]
            } & neighbourhood.heads.keys():
                head = neighbourhood.heads[dataset]
                before, now = _last_description(head), description_of(table, definition)
                facets = facets_between(before, now)
                if facets and not self._is_described_by_other(before, now):
                    yield head.facts.name, facets

    def _is_described_by_other(self, before: Description, now: Description) -> bool:
        """Whether another table of the same data, which still exists, described the dataset before.

        Otherwise two tables with different descriptions would replace each other's description with every import.
        """
        if before.get(TABLE, now[TABLE]) == now[TABLE]:
            return False
        try:
            self.glue.table(TableRef.of(*before[TABLE].split(".", 1)))
        except Missing:
            return False
        return True


def _last_description(head: DatasetHead) -> Description:
    """The description of a dataset's table at the last import."""
    register = head.facts.own.get(CATALOG)
    facet = register.value if register and isinstance(register.value, dict) else {}
    return {member: text for member, text in facet.items() if not member.startswith("_")}
