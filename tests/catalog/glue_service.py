"""Glue as AWS runs it, in memory and behind the methods of a botocore client: what it refuses there, it refuses here.

Requests are held to Glue's own model, so a member that TableInput has not is refused; UpdateTable replaces a table
whole and refuses a version that is no longer the table's; batches have limits; tests say which calls fail for a table.
"""

import copy
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import botocore.session
from botocore.exceptions import ClientError
from botocore.model import ServiceModel
from botocore.validate import ParamValidator

from headwater.catalog.glue import PARTITIONS_READ, PARTITIONS_WRITTEN

Document = dict[str, Any]

MODEL = ServiceModel(botocore.session.get_session().get_service_data("glue"))
PAGE = 2
"""Tables a page: few, so that tests see several."""
WHEN = datetime(2026, 11, 20, tzinfo=UTC)


class GlueService:
    """A catalogue. `calls` counts requests by operation and table; `before` is run before a request is served."""

    def __init__(self) -> None:
        self.meta = SimpleNamespace(service_model=MODEL)
        self.tables_by_name: dict[str, Document] = {}
        self.partitions_by_table: dict[str, dict[tuple[str, ...], Document]] = {}
        self.database_names: list[str] = []
        self.archived = 0
        self.calls: Counter[tuple[str, str]] = Counter()
        self.faults: dict[tuple[str, str], list[str]] = {}
        self.before: Callable[[str, str], None] = lambda _operation, _table: None

    def writes(self) -> dict[tuple[str, str], int]:
        return {call: count for call, count in self.calls.items() if not call[0].startswith(("Get", "BatchGet"))}

    def fail(self, operation: str, table: str, *codes: str) -> None:
        """The next requests for a table fail, one with each of these."""
        self.faults[operation, table] = list(codes)

    def add_table(self, table: str, **members: Any) -> None:
        """A table that somebody made by hand."""
        database, name = table.split(".")
        if database not in self.database_names:
            self.database_names.append(database)
        self.create_table(DatabaseName=database, TableInput={"Name": name, **members})
        self.calls.clear()

    def get_databases(self, **request: Any) -> Document:
        self._serve("GetDatabases", "", request)
        return {"DatabaseList": [{"Name": name} for name in self.database_names]}

    def create_database(self, **request: Any) -> Document:
        name = request["DatabaseInput"]["Name"]
        self._serve("CreateDatabase", name, request)
        if name in self.database_names:
            raise failure("AlreadyExistsException")
        self.database_names.append(name)
        return {}

    def get_tables(self, **request: Any) -> Document:
        database = request["DatabaseName"]
        self._serve("GetTables", database, request)
        names = sorted(name for name in self.tables_by_name if name.startswith(f"{database}."))
        start = int(request.get("NextToken", "0"))
        page = [copy.deepcopy(self.tables_by_name[name]) for name in names[start : start + PAGE]]
        more = {"NextToken": str(start + PAGE)} if start + PAGE < len(names) else {}
        return {"TableList": page, **more}

    def get_table(self, **request: Any) -> Document:
        table = f"{request['DatabaseName']}.{request['Name']}"
        self._serve("GetTable", table, request)
        return {"Table": copy.deepcopy(self._there(table))}

    def create_table(self, **request: Any) -> Document:
        database, definition = request["DatabaseName"], request["TableInput"]
        table = f"{database}.{definition['Name']}"
        self._serve("CreateTable", table, request)
        if database not in self.database_names:
            raise failure("EntityNotFoundException")
        if table in self.tables_by_name:
            raise failure("AlreadyExistsException")
        self._keep(table, definition, version=1)
        return {}

    def update_table(self, **request: Any) -> Document:
        definition = request["TableInput"]
        table = f"{request['DatabaseName']}.{definition['Name']}"
        self._serve("UpdateTable", table, request)
        version = self._there(table)["VersionId"]
        if request.get("VersionId", version) != version:
            raise failure("ConcurrentModificationException")
        self.archived += not request.get("SkipArchive")
        self._keep(table, definition, version=int(version) + 1)
        return {}

    def batch_get_partition(self, **request: Any) -> Document:
        partitions = self._partitions("BatchGetPartition", request, request["PartitionsToGet"], PARTITIONS_READ)
        wanted = [tuple(partition["Values"]) for partition in request["PartitionsToGet"]]
        half = wanted[: len(wanted) // 2 + 1]
        unprocessed = [{"Values": list(values)} for values in wanted[len(half) :]]
        stored = [copy.deepcopy(partitions[values]) for values in half if values in partitions]
        return {"Partitions": stored, "UnprocessedKeys": unprocessed if stored else []}

    def batch_create_partition(self, **request: Any) -> Document:
        inputs = request["PartitionInputList"]
        partitions = self._partitions("BatchCreatePartition", request, inputs, PARTITIONS_WRITTEN)
        errors: list[Document] = []
        for partition in inputs:
            values = tuple(partition["Values"])
            if values in partitions:
                errors.append(
                    {"PartitionValues": partition["Values"], "ErrorDetail": _detail("AlreadyExistsException")}
                )
            else:
                partitions[values] = {**copy.deepcopy(partition), "CreationTime": WHEN, "CatalogId": "123456789012"}
        return {"Errors": errors}

    def batch_update_partition(self, **request: Any) -> Document:
        entries = request["Entries"]
        partitions = self._partitions("BatchUpdatePartition", request, entries, PARTITIONS_WRITTEN)
        errors: list[Document] = []
        for entry in entries:
            values = tuple(entry["PartitionValueList"])
            if values in partitions:
                partitions[values] = {**copy.deepcopy(entry["PartitionInput"]), "CreationTime": WHEN}
            else:
                errors.append({"PartitionValueList": entry["PartitionValueList"], "ErrorDetail": _detail("Gone")})
        return {"Errors": errors}

    def get_paginator(self, operation: str) -> Any:
        return SimpleNamespace(paginate=lambda **request: iter([getattr(self, operation)(**request)]))

    def _partitions(
        self, operation: str, request: Document, requested: list[Any], limit: int
    ) -> dict[tuple[str, ...], Document]:
        table = f"{request['DatabaseName']}.{request['TableName']}"
        self._serve(operation, table, request)
        self._there(table)
        if len(requested) > limit:
            raise failure("ValidationException")
        return self.partitions_by_table.setdefault(table, {})

    def _there(self, table: str) -> Document:
        if table not in self.tables_by_name:
            raise failure("EntityNotFoundException")
        return self.tables_by_name[table]

    def _keep(self, table: str, definition: Document, version: int) -> None:
        """What Glue adds of its own, it does not take back."""
        database, _ = table.split(".")
        added = {"DatabaseName": database, "CreateTime": WHEN, "UpdateTime": WHEN, "CreatedBy": "somebody"}
        added |= {"IsRegisteredWithLakeFormation": False, "CatalogId": "123456789012", "VersionId": str(version)}
        self.tables_by_name[table] = {**copy.deepcopy(definition), **added}

    def _serve(self, operation: str, table: str, request: Document) -> None:
        self.calls[operation, table] += 1
        shape = MODEL.operation_model(operation).input_shape
        assert shape
        report = ParamValidator().validate(request, shape)
        if report.has_errors():
            raise failure("ValidationException", report.generate_report())
        self.before(operation, table)
        codes = self.faults.get((operation, table))
        if codes:
            raise failure(codes.pop(0))


def failure(code: str, message: str = "so it was") -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": message}}, "Glue")


def _detail(code: str) -> Document:
    return {"ErrorCode": code, "ErrorMessage": "so it was"}
