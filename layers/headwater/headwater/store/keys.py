"""Every key of the table, both ways. docs/table.md lists the items."""

from typing import NamedTuple

from headwater.graph.identity import NodeId, namespace_id
from headwater.openlineage.event import Name
from headwater.openlineage.instant import Instant


class Key(NamedTuple):
    """A primary key: partition and sort."""

    pk: str
    sk: str


HEAD = "META"
ALL_NAMESPACES = "NS"
DAYS = "DAYS"
CATALOG = "CATALOG"
QUALITY = "Q#"
"""Begins the `at` of quality items, behind all that begin with a time: they share an index with a dataset's writes."""
MAX_SORTED_NAME_BYTES = 900
"""A sort key has 1,024 bytes: names are sorted by their beginning, then by their id."""


def job_head(job: NodeId) -> Key:
    return Key(f"J#{job}", HEAD)


def run(job: NodeId, run_id: str) -> Key:
    return Key(f"J#{job}", f"R#{run_id}")


def latency(job: NodeId) -> Key:
    """Whether the events of a job come late."""
    return Key(f"J#{job}", "LATENCY")


def dataset_head(dataset: NodeId) -> Key:
    return Key(f"D#{dataset}", HEAD)


def neighbours(dataset: NodeId, page: str) -> Key:
    return Key(f"D#{dataset}", f"ADJ#{page}")


def column_lineage(dataset: NodeId, digest: str) -> Key:
    return Key(f"D#{dataset}", f"C#{digest}")


def schema(dataset: NodeId, digest: str) -> Key:
    return Key(f"D#{dataset}", f"S#{digest}")


def write(dataset: NodeId, run_id: str, job: NodeId) -> Key:
    """A run id may come under two job names; each writes its own."""
    return Key(f"D#{dataset}", f"W#{run_id}#{job}")


def quality(dataset: NodeId, run_id: str, job: NodeId) -> Key:
    return Key(f"D#{dataset}", f"Q#{run_id}#{job}")


def events_of_run(run_id: str) -> str:
    """The partition of a run's events."""
    return f"R#{run_id}"


def run_event(run_id: str, time: Instant, digest: str) -> Key:
    return Key(events_of_run(run_id), f"E#{time}#{digest}")


def job_event(job: NodeId, time: Instant, digest: str) -> Key:
    return Key(f"J#{job}", f"E#{time}#{digest}")


def dataset_event(dataset: NodeId, time: Instant, digest: str) -> Key:
    return Key(f"D#{dataset}", f"E#{time}#{digest}")


def namespace(name: str) -> Key:
    return Key(ALL_NAMESPACES, namespace_id(name))


def day(time: Instant) -> Key:
    """The mark of a day on which there are events."""
    return Key(DAYS, time[:10])


def glue_import() -> Key:
    """Where the reading of the Glue Data Catalog is to go on."""
    return Key(CATALOG, "READING")


def alias(sent: NodeId, dataset: NodeId) -> Key:
    """A name as it was sent, by a hash of it, and the dataset that it stands for."""
    return Key(f"A#{sent}", dataset)


def page_of(sk: str) -> str:
    """The page of neighbours that a sort key names."""
    return sk.removeprefix("ADJ#")


def node_of(pk: str) -> NodeId:
    """The job or dataset whose partition this is."""
    return NodeId(pk[2:])


def run_of(sk: str) -> tuple[str, NodeId]:
    """The run, and its job, that a write's or a quality item's sort key names."""
    _, run_id, job = sk.split("#")
    return run_id, NodeId(job)


def run_id_of(sk: str) -> str:
    """The run that a run's sort key names."""
    return sk.partition("#")[2]


def jobs_of(namespace_name: str) -> str:
    """Where the jobs of a namespace are listed (`listed_in` of the index `listed`), by the time of their last event."""
    return f"J#{namespace_id(namespace_name)}"


def datasets_of(namespace_name: str) -> str:
    """Where the datasets of a namespace are listed, by name."""
    return f"D#{namespace_id(namespace_name)}"


def events_of(day: str) -> str:
    """Where the events of a day are listed, by event time."""
    return f"E#{day}"


def children_of(run_id: str) -> str:
    """Where the runs are listed that name a run as their parent, by the time they started."""
    return f"P#{run_id}"


def names_of(dataset: NodeId) -> str:
    """Where the other names of a dataset are listed, by the time they were first used."""
    return f"A#{dataset}"


def open_runs(shard: str) -> str:
    """Where the runs are found that have not ended (`open_in` of the index `open`), by the time they started."""
    return f"O#{shard}"


def name_key(name: Name, node: NodeId) -> str:
    """Where a node stands in its list: by name, cut to what a key holds; the id keeps cut names apart."""
    beginning = name.name.encode()[:MAX_SORTED_NAME_BYTES].decode(errors="ignore")
    return f"{beginning}\x1f{node}"


def time_key(time: Instant, *rest: str) -> str:
    """Where something stands by time; what follows keeps equal times apart."""
    return "#".join([time, *rest])
