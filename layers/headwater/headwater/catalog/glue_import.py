"""Tells the graph what the catalogue says of tables: all of them are read, in pages, and an event is sent for each
dataset whose table says something else than it did.

What it said is a facet of the dataset (`headwater_catalog`). So nothing is sent for what has not changed, also if
somebody has since said something else of the dataset: that is newer, and stays.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from headwater.access.principal import Principal, Scope
from headwater.catalog.description import TABLE, Description, description_of, event_of, facets_between
from headwater.catalog.glue import CatalogError, GlueCatalog, Missing, Table
from headwater.catalog.glue_retry import GlueRetry
from headwater.catalog.identity import TableRef
from headwater.catalog.resolver import Resolver
from headwater.graph.curation import CATALOG
from headwater.graph.dataset import DatasetHead
from headwater.graph.naming import Naming
from headwater.ingest.event_sender import EventSender, Sender
from headwater.openlineage import exact_json
from headwater.openlineage.event import Name
from headwater.openlineage.instant import instant_of
from headwater.read.reader import Reader
from headwater.store import item_codec, keys
from headwater.store.request_cache import RequestCache
from headwater.store.s3 import Bodies
from headwater.store.table import Table as Store

_OURSELVES = Principal("catalog", frozenset({Scope.ADMIN}), ("*",))


@dataclass
class GlueImportResult:
    """How many tables were read, and the datasets that something was told of; `is_whole` once the last was read."""

    read: int = 0
    datasets: set[Name] = field(default_factory=set)
    refused: int = 0
    is_whole: bool = False


@dataclass(frozen=True)
class GlueImport:
    table: Store
    queue: Sender
    bucket: Bodies
    glue: GlueCatalog
    resolver: Resolver
    naming: Naming
    log: Callable[[str, BaseException], None]
    sleep: Callable[[float], None]

    def read(self, now: datetime, has_time: Callable[[], bool]) -> GlueImportResult:
        """Reads tables from where the last reading stopped. Raises StorageError or CatalogError; then a page that was
        being told is told again by the next reading, which is harmless."""
        result, retry = GlueImportResult(), GlueRetry(self.sleep, has_time)
        begin, token = self._position()
        for database in [each for each in retry(self.glue.databases) if each >= begin]:
            following = token if database == begin else ""
            try:
                following = self._read(database, following, result, now, retry)
            except CatalogError as error:
                self.log(f"the tables of {database} could not be read", error)
                result.refused += 1
                following = ""
            if not has_time():
                self._go_on_at(database if following else f"{database}\0", following)
                return result
        if begin:
            self._go_on_at("", "")
        result.is_whole = True
        return result

    def _read(self, database: str, token: str, result: GlueImportResult, now: datetime, retry: GlueRetry) -> str:
        """Reads a database's tables from a token on, as long as there is time. Returns the token to go on with."""
        while True:
            at = token
            page, token = retry(lambda: self.glue.tables(database, at))  # noqa: B023 - called at once
            self._tell(database, page, now, result)
            if not token or not retry.has_time():
                return token

    def _tell(self, database: str, page: Sequence[Table], now: datetime, result: GlueImportResult) -> None:
        facets: dict[Name, Mapping[str, object]] = {}
        for name, said in self._changes_of(database, page):
            if name not in result.datasets:
                facets.setdefault(name, said)
        texts = [exact_json.dumps(event_of(name, said, instant_of(now))) for name, said in facets.items()]
        if texts:
            EventSender(_OURSELVES, self.queue, self.bucket, now).together(texts)
        result.read += len(page)
        result.datasets |= facets.keys()

    def _changes_of(self, database: str, page: Sequence[Table]) -> Iterator[tuple[Name, Mapping[str, object]]]:
        """What is new of the datasets that the tables of a page are."""
        tables = {TableRef.of(database, definition["Name"]): definition for definition in page}
        ids = {table: self.resolver.ids_of(table, definition) for table, definition in tables.items()}
        reader = Reader(RequestCache(self.table), self.naming)
        neighbourhood = reader.neighbourhood({each for of_table in ids.values() for each in of_table}, ())
        for table, definition in tables.items():
            for each in {neighbourhood.same.get(each, each) for each in ids[table]} & neighbourhood.heads.keys():
                head = neighbourhood.heads[each]
                before, now = _said(head), description_of(table, definition)
                facets = facets_between(before, now)
                if facets and not self._is_told_by_another(before, now):
                    yield head.facts.name, facets

    def _is_told_by_another(self, before: Description, now: Description) -> bool:
        """Whether another table of the same data, which is still there, has spoken for the dataset before: two that
        say different things would else take turns."""
        if before.get(TABLE, now[TABLE]) == now[TABLE]:
            return False
        try:
            self.glue.table(TableRef.of(*before[TABLE].split(".", 1)))
        except Missing:
            return False
        return True

    def _position(self) -> tuple[str, str]:
        return item_codec.read_glue_import(self.table.read([keys.glue_import()]).get(keys.glue_import()))

    def _go_on_at(self, database: str, token: str) -> None:
        self.table.put([item_codec.glue_import_item(database, token)])


def _said(head: DatasetHead) -> Description:
    """What the catalogue said of a dataset before."""
    register = head.facts.own.get(CATALOG)
    said = register.value if register and isinstance(register.value, dict) else {}
    return {member: text for member, text in said.items() if not member.startswith("_")}
