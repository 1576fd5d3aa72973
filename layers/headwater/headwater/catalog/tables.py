"""The tables of the catalogue that a window affects, each read once."""

from collections.abc import Iterator
from typing import NamedTuple

from headwater.catalog.affected_tables import AffectedTables
from headwater.catalog.glue import GlueCatalog, Missing, Table
from headwater.catalog.glue_retry import GlueRetry
from headwater.catalog.identity import TableRef
from headwater.catalog.resolver import Resolver
from headwater.catalog.table_writer import CatalogTable, Creation
from headwater.graph.names.identity import DatasetId, dataset_id
from headwater.graph.states.dataset import DatasetHead
from headwater.read.reader import Reader

_NOT_OURS = ("TargetTable", "FederatedTable", "ViewDefinition", "IsMultiDialectView")
"""Members of definitions that are never written: links to tables of other catalogues, federated tables, and views."""


class AffectedDataset(NamedTuple):
    """A dataset with its ids, and the sequence numbers of the records that affect the dataset. Each of several names
    may be a table's: `others` are the heads under the other names."""

    head: DatasetHead
    others: list[DatasetHead]
    ids: set[DatasetId]
    records: set[str]


class Tables:
    """The tables of a window, in `by_ref` once they are found."""

    def __init__(self, glue: GlueCatalog, resolver: Resolver, creation: Creation, retry: GlueRetry) -> None:
        self.by_ref: dict[TableRef, CatalogTable] = {}
        self._glue = glue
        self._resolver = resolver
        self._creation = creation
        self._retry = retry
        self._definitions: dict[TableRef, Table | None] = {}

    def affected_datasets(self, reader: Reader, affected: AffectedTables) -> Iterator[AffectedDataset]:
        """The affected datasets, each once for all its names. The tables of a deleted dataset lose our parameters."""
        neighbourhood = reader.neighbourhood(affected.datasets, ())
        missing = set(affected.datasets) - neighbourhood.heads.keys() - neighbourhood.representatives.keys()
        deleted = reader.datasets(missing, deleted=True)
        linked = neighbourhood.representatives.keys() - neighbourhood.heads.keys()
        others = reader.datasets(linked) if linked else {}
        for dataset, head in {**deleted, **neighbourhood.heads}.items():
            ids = neighbourhood.ids_of(dataset)
            records = {record for name_id in ids for record in affected.datasets.get(name_id, ())}
            if records:
                named = [others[name_id] for name_id in sorted(ids - {dataset}) if name_id in others]
                yield AffectedDataset(head, named, ids, records)

    def find(self, dataset: AffectedDataset) -> None:
        """Finds the tables of a dataset, or the table to create for the dataset."""
        is_found = False
        for head in (dataset.head, *dataset.others):
            for candidate in self._resolver.candidates(head):
                definition = self._definition(candidate.table)
                if definition and candidate.is_of(dataset_id(head.facts.name), definition):
                    is_found = True
                    self._add(candidate.table, CatalogTable(definition), dataset)
        own = None if is_found else self._creation.table_for(dataset.head)
        if own:
            definition = self._definition(own)
            new = CatalogTable(self._creation.definition(dataset.head), is_new=True)
            self._add(own, CatalogTable(definition) if definition else new, dataset)

    def _add(self, ref: TableRef, table: CatalogTable, dataset: AffectedDataset) -> None:
        if not any(table.definition.get(member) for member in _NOT_OURS):
            table = self.by_ref.setdefault(ref, table)
            table.ids |= dataset.ids
            table.records |= dataset.records

    def _definition(self, table: TableRef) -> Table | None:
        if table not in self._definitions:
            try:
                self._definitions[table] = self._retry(lambda: self._glue.table(table))
            except Missing:
                self._definitions[table] = None
        return self._definitions[table]
