"""A graph in memory, the stream of its changes, and a Glue Data Catalog that catalog synchronises."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from events.envelopes import streamed
from headwater.catalog.affected_tables import KINDS
from headwater.catalog.glue import GlueCatalog
from headwater.catalog.glue_import import GlueImport, GlueImportResult
from headwater.catalog.glue_retry import GlueRetry
from headwater.catalog.identity import CatalogArn
from headwater.catalog.resolver import Locations, Resolver
from headwater.catalog.synchroniser import Synchroniser, SyncResult
from headwater.catalog.table_writer import Creation
from headwater.fold.fold import fold
from headwater.graph.names.identity import dataset_id
from headwater.graph.names.naming import Naming
from headwater.graph.producers.event_normalisation import normalise_event
from headwater.graph.states.dataset import DatasetHead
from headwater.openlineage import exact_json
from headwater.openlineage.event import Name
from headwater.read.reader import Reader
from headwater.store.graph_store import GraphStore
from headwater.store.memory import MemoryTable
from headwater.store.messages import read_message
from headwater.store.table import ConditionalPut, Item, Retention
from tests.caches import CheckedCache
from tests.catalog.glue_service import GlueService
from tests.factory import Document
from tests.fakes import FakeBucket, FakeQueue

ARN = "arn:aws:glue:us-east-1:123456789012"
URL = "https://lineage.example.com"
RETENTION = Retention(runs=timedelta(days=9000), events=timedelta(days=9000))


class StreamedTable(MemoryTable):
    """A table that remembers what was written since the last look, as its stream does."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[tuple[Item | None, Item]] = []

    def change(self, changes: Sequence[ConditionalPut]) -> None:
        self.written += [(self.items.get(change.item.key), change.item) for change in changes]
        super().change(changes)

    def put(self, items: Iterable[Item]) -> None:
        items = list(items)
        self.written += [(self.items.get(item.key), item) for item in items]
        super().put(items)


@dataclass
class World:
    """Lineage on one side, the catalogue on the other."""

    glue: GlueService
    aliases: dict[str, str] = field(default_factory=dict)
    database: str = ""
    table: StreamedTable = field(default_factory=StreamedTable)
    bucket: FakeBucket = field(default_factory=FakeBucket)
    queue: FakeQueue = field(default_factory=FakeQueue)
    logged: list[str] = field(default_factory=list)
    slept: list[float] = field(default_factory=list)
    seen: int = 0
    """Records of the stream that catalog was invoked with."""

    def __post_init__(self) -> None:
        self.naming = Naming(self.aliases)
        catalog, glue = CatalogArn(ARN), GlueCatalog(self.glue)
        self.resolver = Resolver(catalog, self.naming, Locations(glue, GlueRetry(self.slept.append), self.log))
        self.store = GraphStore(self.table, RETENTION, CheckedCache())
        self.synchroniser = Synchroniser(
            store=self.store,
            bucket=self.bucket,
            glue=glue,
            resolver=self.resolver,
            creation=Creation(self.database, catalog),
            api_url=URL,
            naming=self.naming,
            log=self.log,
            sleep=self.slept.append,
        )

    def log(self, message: str, error: BaseException) -> None:
        self.logged.append(f"{message}: {error}")

    def fold(self, *documents: Document) -> None:
        received = [normalise_event(exact_json.dumps(document), self.naming) for document in documents]
        fold(received, self.store)

    def records(self) -> list[Document]:
        """What the stream holds since the last look, filtered as template.yaml has it filtered."""
        changes = [(before, after) for before, after in self.table.written if after.labels.get("kind") in KINDS]
        self.table.written.clear()
        return list(streamed(*changes)["Records"])

    def window(self, *documents: Document, has_time: Callable[[], bool] = lambda: True) -> SyncResult:
        """Events arrive, and then a window of the stream comes to its end."""
        self.fold(*documents)
        return self.deliver(self.records(), has_time)

    def deliver(self, records: list[Document], has_time: Callable[[], bool] = lambda: True) -> SyncResult:
        self.seen += len(records)
        return self.synchroniser.synchronise(records, has_time)

    def parameters(self, table: str) -> dict[str, str]:
        parameters: dict[str, str] = self.glue.tables_by_name[table].get("Parameters", {})
        return parameters

    def headwater_parameters(self, table: str) -> dict[str, str]:
        """A table's parameters that are ours, without their prefix."""
        parameters = self.parameters(table).items()
        return {name.removeprefix("headwater."): value for name, value in parameters if name.startswith("headwater.")}

    def read(self, has_time: Callable[[], bool] = lambda: True) -> GlueImportResult:
        glue_import = GlueImport(
            store=self.store,
            queue=self.queue,
            bucket=self.bucket,
            glue=GlueCatalog(self.glue),
            resolver=self.resolver,
            naming=self.naming,
            log=self.log,
            sleep=self.slept.append,
        )
        result = glue_import.read(datetime.now(UTC), has_time)
        self.fold(*(exact_json.loads(read_message(message.body, self.bucket).canonical) for message in self.queue.sent))
        self.queue.sent.clear()
        return result

    def dataset(self, name: str, namespace: str = "s3://lake") -> DatasetHead:
        (head,) = Reader(self.store, self.naming).neighbourhood({dataset_id(Name(namespace, name))}, ()).heads.values()
        return head


@pytest.fixture
def glue() -> GlueService:
    return GlueService()


@pytest.fixture
def world(glue: GlueService) -> World:
    return World(glue)


def storage(location: str, **columns: str) -> Document:
    described = [{"Name": name, "Type": kind, "Comment": f"the {name}"} for name, kind in columns.items()]
    return {"Columns": described or [{"Name": "id", "Type": "bigint"}], "Location": location}


def without_parameters(table: Document) -> dict[str, Any]:
    """A table but for its parameters and for what each update changes."""
    return {name: value for name, value in table.items() if name not in ("Parameters", "VersionId", "UpdateTime")}
