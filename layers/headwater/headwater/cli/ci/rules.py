"""The rules of headwater.yml that a change breaks, each with the path that breaks it."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from headwater.cli.ci.comparison import ChangeComparison
from headwater.cli.ci.consequences import Consequence
from headwater.cli.ci.production import Production
from headwater.cli.ci.side import DIRECT
from headwater.graph.expectations.policy import Named, Policy
from headwater.graph.names.identity import NodeKind, node_id
from headwater.lookup.text.amounts import count
from headwater.lookup.text.labels import node_of
from headwater.openlineage.exact_json import JsonObject
from headwater.traversal.graph_diff import LineageFlow


class Broken(NamedTuple):
    """A broken rule: the node that breaks it, and the way, in the direction of the data."""

    rule: str
    node: str
    sentence: str
    path: tuple[str, ...]

    def as_json(self) -> JsonObject:
        return {"rule": self.rule, "nodeId": self.node, "sentence": self.sentence, "path": list(self.path)}


def broken(
    policy: Policy, compared: ChangeComparison, lost: Sequence[Consequence], production: Production | None
) -> list[Broken]:
    """Raises CommandFailure if production could not be asked."""
    found = [
        *(_kept_columns(policy, lost) if policy.keeps_columns else ()),
        *(_kept_lineage(policy, compared) if policy.keeps_lineage else ()),
        *_new_sources(policy, compared),
        *(_never(policy.never, compared, production) if policy.never else ()),
    ]
    return sorted(found)


def _kept_columns(policy: Policy, lost: Sequence[Consequence]) -> Iterator[Broken]:
    for each in lost:
        loss = each.loss
        if each.certain and not policy.is_acknowledged(loss.dataset, loss.column):
            what = f"{loss.dataset.name}{'.' * bool(loss.column)}{loss.column}"
            owners = f"; owners: {', '.join(each.owners)}" if each.owners else ""
            readers = (
                f"{count(len(each.certain), 'node')} certainly {'use' if len(each.certain) > 1 else 'uses'} it{owners}"
            )
            yield Broken(
                "keep_columns", loss.node, f"{what} is {loss.change}, and {readers}", tuple(each.certain[0]["path"])
            )


def _kept_lineage(policy: Policy, compared: ChangeComparison) -> Iterator[Broken]:
    """The columns that had an origin and are there without one."""
    before, after = (_origins(side.graph.flows) for side in (compared.before, compared.after))
    written = {edge[1] for edge in compared.after.graph.edges} - compared.unfinished
    for node in sorted(before.keys() - after.keys()):
        name, column = compared.before.column_of(node)
        dataset = node_id(NodeKind.DATASET, name)
        columns = compared.after.graph.columns.get(dataset)
        is_there = dataset in written and (not columns or column in columns)
        if is_there and not policy.is_acknowledged(name, column):
            text = f"{name.name}.{column} was made of {_short(before[node][0])}, and has no known origin"
            yield Broken("keep_lineage", node, text, (before[node][0], node))


def _new_sources(policy: Policy, compared: ChangeComparison) -> Iterator[Broken]:
    written = {edge[1] for edge in compared.after.graph.edges}
    for node in sorted({*compared.after.datasets} - {*compared.before.datasets} - written):
        name = compared.after.names[node]
        reader = min((edge[1] for edge in compared.after.graph.edges if edge[0] == node), default=None)
        if reader and not policy.approves(name.namespace):
            made = min((edge[1] for edge in compared.after.graph.edges if edge[0] == reader), default=None)
            text = f"{name.name} is a new source in {name.namespace}, which is not approved"
            yield Broken("sources", node, text, (node, reader, *([made] if made else [])))


def _never(
    rules: Sequence[tuple[Named, Named]], compared: ChangeComparison, production: Production | None
) -> Iterator[Broken]:
    """The columns that are made of a named one: by the jobs after the change, and by production's before them."""
    into = dict(_origins(compared.after.graph.flows))
    made = sorted(into)
    written = {edge[1] for edge in compared.after.graph.edges}

    def origins(node: str) -> Sequence[str]:
        if node not in into:
            is_source = node_id(NodeKind.DATASET, compared.after.column_of(node).dataset) not in written
            into.update(production.upstream(node) if production and is_source else {})
        return into.setdefault(node, [])

    for column, origin in rules:

        def is_origin(node: str, origin: Named = origin) -> bool:
            return origin.fits(*compared.after.column_of(node))

        for node in made:
            if column.fits(*compared.after.column_of(node)) and (path := _way(node, is_origin, origins)):
                text = f"{_short(node)} is made of {_short(path[0])}, and never may be"
                yield Broken("never", node, text, path)


def _way(node: str, is_origin: Callable[[str], bool], origins: Callable[[str], Sequence[str]]) -> tuple[str, ...]:
    """The shortest way from a named column to a column; empty if there is none."""
    ways: dict[str, tuple[str, ...]] = {node: (node,)}
    ahead = deque([node])
    while ahead:
        here = ahead.popleft()
        if here != node and is_origin(here):
            return ways[here]
        for source in sorted(origins(here)):
            if source not in ways:
                ways[source] = (source, *ways[here])
                ahead.append(source)
    return ()


def _origins(flows: Iterable[LineageFlow]) -> Mapping[str, list[str]]:
    """Of each column, the columns whose values it has."""
    origins: dict[str, list[str]] = defaultdict(list)
    for flow in sorted(flows):
        if flow.kind.startswith(DIRECT):
            origins[flow.target].append(flow.origin)
    return origins


def _short(node: str) -> str:
    column = node_of(node)
    return f"{column.name}.{column.field}"
