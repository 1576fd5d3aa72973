"""The tables that a window concerns, each read once."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from headwater.catalog.creation import Creation
from headwater.catalog.glue import GlueCatalog, Missing, Table
from headwater.catalog.identity import TableRef
from headwater.catalog.news import News
from headwater.catalog.patience import Patience
from headwater.catalog.resolver import Resolver
from headwater.graph.dataset import DatasetHead
from headwater.graph.identity import NodeId, dataset_id
from headwater.lookup.reader import Reader

_NOT_OURS = ("TargetTable", "FederatedTable", "ViewDefinition", "IsMultiDialectView")
"""What marks links to tables of others, tables of other catalogues, and views that UpdateTable takes otherwise."""


class Concerned(NamedTuple):
    """A dataset with its ids, and the records that concern it."""

    head: DatasetHead
    ids: set[NodeId]
    records: set[str]


@dataclass
class Found:
    """A table as it is in the catalogue, or as it is to be created; the ids of the datasets that led to it, and the
    records that concern those."""

    definition: Table
    is_new: bool = False
    ids: set[NodeId] = field(default_factory=set)
    records: set[str] = field(default_factory=set)


class Tables:
    """The tables of a window as they are found."""

    def __init__(self, glue: GlueCatalog, resolver: Resolver, creation: Creation, patiently: Patience) -> None:
        self.found: dict[TableRef, Found] = {}
        self._glue = glue
        self._resolver = resolver
        self._creation = creation
        self._patiently = patiently
        self._read: dict[TableRef, Table | None] = {}

    def concerned(self, reader: Reader, news: News) -> Iterator[Concerned]:
        """The datasets of the news, those of several names as one; a deleted one too, since its table is to know."""
        around = reader.around(news.datasets, ())
        gone = reader.datasets(set(news.datasets) - around.heads.keys() - around.same.keys(), deleted=True)
        for one, head in {**gone, **around.heads}.items():
            ids = around.ids_of(one)
            records = {record for each in ids for record in news.datasets.get(each, ())}
            if records:
                yield Concerned(head, ids, records)

    def find(self, concerned: Concerned) -> None:
        """Finds the tables that a dataset is, or the one that is to be created for it."""
        head, dataset = concerned.head, dataset_id(concerned.head.facts.name)
        candidates = self._resolver.candidates(head)
        is_found = False
        for each in candidates:
            definition = self._definition(each.table)
            if definition and each.is_of(dataset, definition):
                is_found = True
                self._add(each.table, Found(definition), concerned)
        own = None if is_found else self._creation.table_for(head)
        if own:
            definition = self._definition(own)
            self._add(own, Found(definition or self._creation.definition(head), is_new=definition is None), concerned)

    def _add(self, table: TableRef, found: Found, concerned: Concerned) -> None:
        if not any(found.definition.get(member) for member in _NOT_OURS):
            one = self.found.setdefault(table, found)
            one.ids |= concerned.ids
            one.records |= concerned.records

    def _definition(self, table: TableRef) -> Table | None:
        if table not in self._read:
            try:
                self._read[table] = self._patiently(lambda: self._glue.table(table))
            except Missing:
                self._read[table] = None
        return self._read[table]
