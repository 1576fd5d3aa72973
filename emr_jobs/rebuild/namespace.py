"""Keeps the items of one namespace: of its jobs, with their runs and events, and of its datasets."""

from collections.abc import Iterable, Iterator

from pyspark import RDD

from headwater.store.bulk import Item, is_of_node, state_in

SALTS = 16
"""A node's items are spread over so many keys: a dataset may have a million writes."""


def items_of_namespace(items: RDD[Item], namespace: str) -> RDD[Item]:
    """The items of a namespace. A day is of no namespace."""
    heads = items.filter(lambda item: item.labels["kind"] in ("job", "dataset") and _namespace(item) == namespace)
    nodes = heads.map(lambda item: item.key.pk).distinct().flatMap(_salted)
    of_nodes = items.filter(is_of_node).keyBy(_salt)
    others = items.filter(lambda item: not is_of_node(item) and _namespace(item) == namespace)
    return of_nodes.join(nodes).values().map(lambda pair: pair[0]).union(others)


def _salt(item: Item) -> tuple[str, int]:
    return item.key.pk, sum(item.key.sk.encode()) % SALTS


def _salted(pk: str) -> Iterable[tuple[tuple[str, int], None]]:
    return (((pk, salt), None) for salt in range(SALTS))


def _namespace(item: Item) -> str:
    return next(_namespaces(item), "")


def _namespaces(item: Item) -> Iterator[str]:
    state = state_in(item)
    match item.labels["kind"]:
        case "job" | "dataset":
            yield state.facts.name.namespace
        case "event":
            yield state["job"]["namespace"]
        case "alias":
            yield state.alias.dataset.namespace
        case "namespace":
            yield state.name
