"""The details of a run: the run, the versions of its inputs, and what went wrong."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from headwater.graph.facets.dataset_reference import schema_register
from headwater.graph.names.identity import DatasetId, WriteId, version_of_schema, version_without_schema
from headwater.graph.states.run import Run
from headwater.openlineage.instant import NEVER, Instant
from headwater.read.input_writes import RunInput, input_writes
from headwater.read.reader import Reader
from headwater.read.run_end import messages_of, silences


class RunDetails(NamedTuple):
    """A run, with the version of each input, and what went wrong in a line."""

    run: Run
    input_versions: Mapping[DatasetId, str]
    message: str = ""
    no_contact_since: Instant | None = None


def read_run_details(reader: Reader, runs: Sequence[Run], now: Instant = NEVER) -> list[RunDetails]:
    """The details of runs: the reads of `input_writes`, `messages_of` and `silences` for all runs together. With a
    time, whether a run has missed its heartbeats by then."""
    writes, messages = input_writes(reader, runs), messages_of(reader.store, runs)
    silent = silences(reader.store, runs, now) if now else {}
    return [RunDetails(run, dict(_input_versions(run, writes)), messages[run.id], silent.get(run.id)) for run in runs]


def _input_versions(run: Run, writes: Mapping[RunInput, WriteId]) -> Iterator[tuple[DatasetId, str]]:
    for dataset in run.inputs:
        write = writes.get((run.job, run.run_id, dataset))
        yield dataset, input_version(run, dataset, write.version if write else None)


def input_version(run: Run, dataset: DatasetId, producer: str | None) -> str:
    """The version of an input: the id of the run that wrote the input. If no such run is known: the version of the
    schema that the reading run reported, else the version without a schema."""
    if producer:
        return producer
    schema = schema_register(run.inputs[dataset].facets)
    return version_of_schema(schema.value) if schema else version_without_schema(dataset)
