"""What a connector reads and writes: pairs of an input and an output, in the names that other engines use."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from headwater.openlineage.event import Name
from headwater.sources.connect.change_records import change_record, outermost, row_of_change
from headwater.sources.connect.classes import reads_lines, reads_of, reads_one_dataset, writes_of
from headwater.sources.connect.connector import Connector
from headwater.sources.connect.debezium import INTERNAL
from headwater.sources.connect.mirror import mirrored_topics
from headwater.sources.connect.record_columns import (
    Columns,
    ColumnSource,
    columns_before,
    columns_through,
    named_columns,
)
from headwater.sources.connect.redaction import without_user_info
from headwater.sources.connect.transform import routed, transforms_of

MIRROR = "org.apache.kafka.connect.mirror.MirrorSourceConnector"
_ENVELOPES = "io.debezium.connector."


class Flow(NamedTuple):
    """Records flow from an input to an output. One of them is None where it is not known."""

    source: Name | None
    output: Name | None


def flows_of(connector: Connector, kafka: str) -> list[Flow]:
    """The flows of a connector. `kafka` is the namespace of the topics, such as `kafka://broker-1:9092`."""
    if connector.connector_class == MIRROR:
        return [Flow(pair.source, pair.copy) for pair in mirrored_topics(connector, kafka)]
    flows = _source_flows(connector, kafka) if connector.is_source else _sink_flows(connector, kafka)
    return list(dict.fromkeys(Flow(*map(_without_user, flow)) for flow in flows))


def _without_user(name: Name | None) -> Name | None:
    """A name that a setting gives as a URL, without user and password."""
    return Name(*map(without_user_info, name)) if name else None


def datasets_of(flows: Iterable[Flow]) -> tuple[list[Name], list[Name]]:
    """The inputs and the outputs."""
    pairs = list(flows)
    return sorted({flow.source for flow in pairs if flow.source}), sorted(
        {flow.output for flow in pairs if flow.output}
    )


def column_lineage(connector: Connector, flows: Sequence[Flow], known: Mapping[Name, Sequence[str]]) -> dict[Name, Any]:
    """The fields of the columnLineage facet of each output, as far as columns are known: by the schema of the input; of
    a topic that a source writes, by its own; or by the settings of the transformations. `known` are the columns of
    datasets, nested columns by their paths."""
    facets: dict[Name, dict[str, Any]] = {}
    for source, output in flows:
        columns = _columns(connector, known.get(source, ()), known.get(output, ())) if source and output else None
        if source and output and columns:
            fields = facets.setdefault(output, {})
            for name, sources in columns.sources.items():
                inputs = [_input_field(source, of) for of in sorted(sources)]
                fields.setdefault(name, {"inputFields": []})["inputFields"] += inputs
    return facets


def _source_flows(connector: Connector, kafka: str) -> Iterator[Flow]:
    """Topics in use are reported even if it is not known which dataset they come from."""
    read = reads_of(connector)
    transforms = transforms_of(connector.config)
    pairs = list(read(connector)) if read else []
    active = [topic for topic in connector.topics if not topic.startswith(INTERNAL)]
    covered: set[str] = set()
    for dataset, topic in pairs:
        after = routed(transforms, topic) if topic else None
        topics = [name for name in after or () if len(after or ()) == 1 or not active or name in active]
        covered.update(topics)
        yield from (Flow(dataset, Name(kafka, name)) for name in topics)
        if not topics:
            yield Flow(dataset, None)
    lone = pairs[0].dataset if pairs and reads_one_dataset(connector) else None
    listed = [] if read else connector.listed("topic", "topics", "kafka.topic")
    yield from (Flow(lone, Name(kafka, topic)) for topic in [*active, *listed] if topic not in covered)


def _sink_flows(connector: Connector, kafka: str) -> Iterator[Flow]:
    write = writes_of(connector)
    transforms = transforms_of(connector.config)
    for topic in _consumed(connector):
        after = routed(transforms, topic) or []
        outputs = [output for name in after for output in write(connector, name)] if write else []
        source = Name(kafka, topic)
        yield from (Flow(source, output) for output in outputs)
        if not outputs:
            yield Flow(source, None)


def _consumed(connector: Connector) -> list[str]:
    """The topics of a sink: those of its settings, or with a regular expression those that it really used."""
    if listed := connector.listed("topics"):
        return listed
    partitions = [partition for entry in connector.offsets if isinstance(partition := entry.get("partition"), dict)]
    by_offset = [topic for partition in partitions if isinstance(topic := partition.get("kafka_topic"), str)]
    return sorted({*connector.topics, *by_offset})


def _columns(connector: Connector, read: Sequence[str], written: Sequence[str]) -> Columns | None:
    """The columns of an output's records, by the columns of the input, or else by those of a topic that a source
    writes. A change record of Debezium has the row in an envelope, unless a transformation takes it out."""
    transforms = transforms_of(connector.config)
    takes_row = any(transform.kind == "ExtractNewRecordState" for transform in transforms)
    if connector.is_source and connector.connector_class.startswith(_ENVELOPES) and not takes_row:
        return change_record(written) if columns_through(transforms, Columns.of(())) else None
    if reads_lines(connector):
        return columns_through(transforms, Columns.of_line(outermost(read)))
    if connector.is_source and written and not read:
        return columns_before(transforms, outermost(written))
    row = row_of_change(read) if takes_row and not connector.is_source else None
    return columns_through(transforms, row or Columns.of(sorted(outermost(read) or named_columns(transforms))))


def _input_field(source: Name, column: ColumnSource) -> dict[str, Any]:
    subtype = "TRANSFORMATION" if column.is_changed or column.is_masked else "IDENTITY"
    step = {"type": "DIRECT", "subtype": subtype, "description": "", "masking": column.is_masked}
    return {"namespace": source.namespace, "name": source.name, "field": column.column, "transformations": [step]}
