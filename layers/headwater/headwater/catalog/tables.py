"""The tables that a window concerns, each read once."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from headwater.catalog.affected_tables import AffectedTables
from headwater.catalog.creation import Creation
from headwater.catalog.glue import GlueCatalog, Missing, Table
from headwater.catalog.glue_retry import GlueRetry
from headwater.catalog.identity import TableRef
from headwater.catalog.resolver import Resolver
from headwater.graph.dataset import DatasetHead
from headwater.graph.identity import NodeId, dataset_id
from headwater.read.reader import Reader

_NOT_OURS = ("TargetTable", "FederatedTable", "ViewDefinition", "IsMultiDialectView")
"""What marks links to tables of others, tables of other catalogues, and views that UpdateTable takes otherwise."""


class AffectedDataset(NamedTuple):
    """A dataset with its ids, and the records that concern it."""

    head: DatasetHead
    ids: set[NodeId]
    records: set[str]


@dataclass
class FoundTable:
    """A table as it is in the catalogue, or as it is to be created; the ids of the datasets that led to it, and the
    records that concern those."""

    definition: Table
    is_new: bool = False
    ids: set[NodeId] = field(default_factory=set)
    records: set[str] = field(default_factory=set)


class Tables:
    """The tables of a window as they are found."""

    def __init__(self, glue: GlueCatalog, resolver: Resolver, creation: Creation, retry: GlueRetry) -> None:
        self.found: dict[TableRef, FoundTable] = {}
        self._glue = glue
        self._resolver = resolver
        self._creation = creation
        self._retry = retry
        self._read: dict[TableRef, Table | None] = {}

    def affected_datasets(self, reader: Reader, affected: AffectedTables) -> Iterator[AffectedDataset]:
        """The datasets of the news, those of several names as one; a deleted one too, since its table is to know."""
        neighbourhood = reader.neighbourhood(affected.datasets, ())
        gone = reader.datasets(
            set(affected.datasets) - neighbourhood.heads.keys() - neighbourhood.same.keys(), deleted=True
        )
        for one, head in {**gone, **neighbourhood.heads}.items():
            ids = neighbourhood.ids_of(one)
            records = {record for each in ids for record in affected.datasets.get(each, ())}
            if records:
                yield AffectedDataset(head, ids, records)

    def find(self, affected_dataset: AffectedDataset) -> None:
        """Finds the tables that a dataset is, or the one that is to be created for it."""
        head, dataset = affected_dataset.head, dataset_id(affected_dataset.head.facts.name)
        candidates = self._resolver.candidates(head)
        is_found = False
        for each in candidates:
            definition = self._definition(each.table)
            if definition and each.is_of(dataset, definition):
                is_found = True
                self._add(each.table, FoundTable(definition), affected_dataset)
        own = None if is_found else self._creation.table_for(head)
        if own:
            definition = self._definition(own)
            self._add(
                own,
                FoundTable(definition or self._creation.definition(head), is_new=definition is None),
                affected_dataset,
            )

    def _add(self, table: TableRef, found: FoundTable, affected_dataset: AffectedDataset) -> None:
        if not any(found.definition.get(member) for member in _NOT_OURS):
            one = self.found.setdefault(table, found)
            one.ids |= affected_dataset.ids
            one.records |= affected_dataset.records

    def _definition(self, table: TableRef) -> Table | None:
        if table not in self._read:
            try:
                self._read[table] = self._retry(lambda: self._glue.table(table))
            except Missing:
                self._read[table] = None
        return self._read[table]
