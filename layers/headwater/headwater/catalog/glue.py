"""Glue's API for the use cases of the catalogue, and its errors.

CatalogError            a call failed
+-- Missing             the table or database does not exist
+-- AlreadyThere        the table or database exists already
+-- Stale               the table has changed since it was read: read the table again
+-- CallRejected        Lake Formation or IAM denies the call, or Glue finds it invalid; other calls may succeed
+-- Busy                throttled, or not available: try again later
"""

from collections.abc import Mapping, Sequence
from typing import Any

from headwater.catalog.identity import TableRef
from headwater.store.aws.client import errors_as

PARTITIONS_READ = 1_000
"""Partitions of a BatchGetPartition."""
PARTITIONS_WRITTEN = 100
"""Partitions of a BatchCreatePartition or BatchUpdatePartition."""

Table = Mapping[str, Any]
"""A table's definition as GetTable returns it."""
Partition = Mapping[str, Any]
"""A partition's definition as BatchGetPartition returns it."""
Values = tuple[str, ...]
"""The values of a partition, in the order of the table's keys."""


class CatalogError(Exception):
    """A call to Glue failed."""


class Missing(CatalogError):
    pass


class AlreadyThere(CatalogError):
    pass


class Stale(CatalogError):
    pass


class CallRejected(CatalogError):
    pass


class Busy(CatalogError):
    pass


_ERRORS: Mapping[str, type[CatalogError]] = {
    "EntityNotFoundException": Missing,
    "AlreadyExistsException": AlreadyThere,
    "ConcurrentModificationException": Stale,
    "VersionMismatchException": Stale,
    "AccessDeniedException": CallRejected,
    "InvalidInputException": CallRejected,
    "ValidationException": CallRejected,
    "GlueEncryptionException": CallRejected,
    "ResourceNumberLimitExceededException": CallRejected,
}


class GlueCatalog:
    """The catalogue of the account that the client's credentials belong to."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def databases(self) -> list[str]:
        """The names of all databases, in order."""
        with errors_as(_error):
            pages = list(self._client.get_paginator("get_databases").paginate())
        return sorted(database["Name"] for page in pages for database in page["DatabaseList"])

    def tables(self, database: str, token: str = "") -> tuple[Sequence[Table], str]:
        """A page of a database's tables, and the token of the next page (empty after the last page)."""
        at = {"NextToken": token} if token else {}
        with errors_as(_error):
            page = self._client.get_tables(DatabaseName=database, **at)
        return page["TableList"], page.get("NextToken") or ""

    def table(self, table: TableRef) -> Table:
        with errors_as(_error):
            definition: Table = self._client.get_table(DatabaseName=table.database, Name=table.name)["Table"]
        return definition

    def update(self, table: TableRef, changed: Table) -> None:
        """Replaces a table's definition with a changed one. Raises Stale if the table has changed since it was read.

        Glue archives no version of the table: an account may have a million versions, and ours serve nobody.
        """
        version = {"VersionId": changed["VersionId"]} if changed.get("VersionId") else {}
        definition = self._input("TableInput", changed)
        with errors_as(_error):
            self._client.update_table(DatabaseName=table.database, TableInput=definition, SkipArchive=True, **version)

    def create(self, table: TableRef, definition: Table) -> None:
        with errors_as(_error):
            self._client.create_table(DatabaseName=table.database, TableInput={**definition, "Name": table.name})

    def create_database(self, name: str, description: str) -> None:
        with errors_as(_error):
            self._client.create_database(DatabaseInput={"Name": name, "Description": description})

    def partitions(self, table: TableRef, wanted: Sequence[Values]) -> list[Partition]:
        """The partitions with these values that exist."""
        partitions: list[Partition] = []
        unread = [{"Values": list(values)} for values in wanted]
        for start in range(0, len(unread), PARTITIONS_READ):
            keys: list[Any] = unread[start : start + PARTITIONS_READ]
            while keys:
                with errors_as(_error):
                    answer = self._client.batch_get_partition(**_named(table), PartitionsToGet=keys)
                partitions += answer["Partitions"]
                keys = answer.get("UnprocessedKeys", []) if answer["Partitions"] else []
        return partitions

    def create_partitions(self, table: TableRef, definitions: Sequence[Partition]) -> dict[Values, str]:
        """Creates partitions. Returns the error code of each partition that could not be created."""
        failed: dict[Values, str] = {}
        for start in range(0, len(definitions), PARTITIONS_WRITTEN):
            batch = definitions[start : start + PARTITIONS_WRITTEN]
            inputs = [self._input("PartitionInput", definition) for definition in batch]
            with errors_as(_error):
                answer = self._client.batch_create_partition(**_named(table), PartitionInputList=inputs)
            failed |= {tuple(failure["PartitionValues"]): _code(failure) for failure in answer.get("Errors", [])}
        return failed

    def update_partitions(self, table: TableRef, changed: Sequence[Partition]) -> dict[Values, str]:
        """Updates partitions. Returns the error code of each partition that could not be updated."""
        failed: dict[Values, str] = {}
        for start in range(0, len(changed), PARTITIONS_WRITTEN):
            batch = changed[start : start + PARTITIONS_WRITTEN]
            inputs = [(partition["Values"], self._input("PartitionInput", partition)) for partition in batch]
            entries = [{"PartitionValueList": values, "PartitionInput": definition} for values, definition in inputs]
            with errors_as(_error):
                answer = self._client.batch_update_partition(**_named(table), Entries=entries)
            failed |= {tuple(failure["PartitionValueList"]): _code(failure) for failure in answer.get("Errors", [])}
        return failed

    def _input(self, shape: str, document: Mapping[str, Any]) -> Any:
        """A definition with the members that Glue takes: Glue refuses the members that it adds itself (CreateTime)."""
        return _fitted(self._client.meta.service_model.shape_for(shape), document)


def _fitted(shape: Any, value: Any) -> Any:
    """A value without the members that its shape in Glue's API model lacks."""
    if shape.type_name == "structure":
        members = {name: member for name, member in value.items() if name in shape.members and member is not None}
        return {name: _fitted(shape.members[name], member) for name, member in members.items()}
    if shape.type_name == "list":
        return [_fitted(shape.member, element) for element in value]
    return value


def _named(table: TableRef) -> dict[str, str]:
    return {"DatabaseName": table.database, "TableName": table.name}


def _code(failure: Mapping[str, Any]) -> str:
    code: str = failure.get("ErrorDetail", {}).get("ErrorCode", "")
    return code


def _error(code: str, message: str) -> CatalogError:
    return _ERRORS.get(code, Busy)(message)
