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
MAX_SORTED_NAME_BYTES = 900
"""A sort key has 1,024 bytes: names are sorted by their beginning, then by their id."""


def job_head(job: NodeId) -> Key:
    return Key(f"J#{job}", HEAD)


def run(job: NodeId, run_id: str) -> Key:
    return Key(f"J#{job}", f"R#{run_id}")


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


def run_event(run_id: str, time: Instant, digest: str) -> Key:
    return Key(f"R#{run_id}", f"E#{time}#{digest}")


def job_event(job: NodeId, time: Instant, digest: str) -> Key:
    return Key(f"J#{job}", f"E#{time}#{digest}")


def dataset_event(dataset: NodeId, time: Instant, digest: str) -> Key:
    return Key(f"D#{dataset}", f"E#{time}#{digest}")


def namespace(name: str) -> Key:
    return Key(ALL_NAMESPACES, namespace_id(name))


def page_of(sk: str) -> str:
    """The page of neighbours that a sort key names."""
    return sk.removeprefix("ADJ#")


def node_of(pk: str) -> NodeId:
    """The job or dataset whose partition this is."""
    return NodeId(pk[2:])


def jobs_of(namespace_name: str) -> str:
    """Where the jobs of a namespace are listed (`listed_in` of the index by_name)."""
    return f"J#{namespace_id(namespace_name)}"


def datasets_of(namespace_name: str) -> str:
    """Where the datasets of a namespace are listed."""
    return f"D#{namespace_id(namespace_name)}"


def name_key(name: Name, node: NodeId) -> str:
    """Where a node stands in its list: by name, cut to what a key holds; the id keeps cut names apart."""
    beginning = name.name.encode()[:MAX_SORTED_NAME_BYTES].decode(errors="ignore")
    return f"{beginning}\x1f{node}"


def time_key(time: Instant, run_id: str) -> str:
    """Where a run or a write stands by time (`at` of the index by_time)."""
    return f"{time}#{run_id}"
