"""The nodes that a change breaks downstream, or may break: columns, datasets and jobs, the certain ones first, then the
nearest, with their owners.

The lineage is that of the moment before the change: the job that caused the change may already report other columns.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple

from headwater.alerts.alert import distinct_owners, quantity
from headwater.graph.names.identity import DatasetId, NodeKind, job_id
from headwater.graph.states.rhythm import moment
from headwater.graph.states.run import Run
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import Instant, moved_back
from headwater.read.frontier import BlindSpot, Frontier, short_names
from headwater.read.reader import Reader
from headwater.store.errors import CorruptItem
from headwater.traversal.expectations import by_rhythms, outputs_of
from headwater.traversal.impact import NodeAtRisk, Reach, counted, impact, is_by_table, quantities
from headwater.traversal.impacted_node import Granularity

MAX_DEPTH, MAX_NODES = 10, 500
"""The reach of the walk downstream, in jobs and in nodes."""
MAX_OUTPUTS, NEAR_DEPTH, NEAR_NODES = 5, 3, 100
"""Outputs of a run whose readers are looked up, how far in jobs, and the nodes of all of them together: many runs may
fail at once."""
MAX_ITEMS, MAX_LINES = 50, 8
"""Nodes at risk in the members of an alert, and in its sentences. The link leads to all nodes."""
OPEN = " whose origin the producer does not know"


class Downstream(NamedTuple):
    """The nodes at risk, the certain ones first, then the nearest, whether there are more, and what the walk cannot
    see. Exposures have room of their own: people who look at a dashboard seldom see this graph."""

    at_risk: tuple[NodeAtRisk, ...]
    is_truncated: bool
    frontier: Frontier = Frontier()

    def __bool__(self) -> bool:
        return bool(self.at_risk)

    @property
    def owners(self) -> tuple[str, ...]:
        return distinct_owners(*(node.owners for node in self.at_risk))

    @property
    def exposures(self) -> list[NodeAtRisk]:
        return [node for node in self.at_risk if node.exposure]

    def without(self, node_id: str) -> "Downstream":
        """The nodes without one: the job that checks data is not at risk by its own check."""
        return self._replace(at_risk=tuple(node for node in self.at_risk if node.node_id != node_id))

    def without_tests(self) -> "Downstream":
        """The nodes without jobs that only check data: wrong values in a test reach nobody."""
        return self._replace(at_risk=tuple(node for node in self.at_risk if not node.is_test))

    @property
    def is_told(self) -> bool:
        """Whether more is known of a node at risk than that its producer leaves it open."""
        return any(node.granularity is not Granularity.UNKNOWN for node in self.at_risk)

    def as_json(self) -> JsonObject:
        others = [node for node in self.at_risk if not node.exposure]
        items = [*others[:MAX_ITEMS], *self.exposures[:MAX_ITEMS]]
        return {
            "items": [{**node.as_json(), "owners": list(node.owners)} for node in items],
            **counted(self.at_risk),
            "truncated": self.is_truncated or len(self.at_risk) > len(items),
            "frontier": self.frontier.as_json(),
        }

    def lines(self, subject: str, verb: str, infinitive: str) -> list[str]:
        """Sentences: how many nodes are at risk, then the nearest columns and datasets, which tell a person more than
        jobs do. What is certain comes before what is possible: `The change breaks ...`, `The change may break ...`.
        What only table lineage reaches is never said to break."""
        if not self.at_risk:
            known = "No column, dataset or job downstream is known to be affected."
            return [known, *([self.frontier.sentence] if self.frontier.sentence else [])]
        at_least = " at least" if self.is_truncated else ""
        certain = [node for node in self.at_risk if not node.is_possible]
        possible = [node for node in self.at_risk if node.is_possible]
        may = f"{subject} may {infinitive}{at_least}"
        surely = may if is_by_table(certain) else f"{subject} {verb}{at_least}"
        names = short_names({table for node in self.at_risk for table in (node.path[0], node.table)})
        return [*_listed(certain, surely, names), *_listed(possible, may, names), *self._uses(names)]

    def _uses(self, names: Mapping[str, str]) -> list[str]:
        """The dashboards and other uses declared of what is at risk: the alert cannot say that they break."""
        told = [f"{names[node.table]} is a declared source of the {_shown(node)}." for node in self.exposures]
        rest = len(told) - MAX_LINES
        return told[:MAX_LINES] + ([f"and {rest} more such uses"] if rest > 0 else [])


def downstream(
    reader: Reader, datasets: Sequence[DatasetId], columns: Collection[str] | None, since: Instant, at: Instant | None
) -> Downstream:
    """The nodes that a change of some columns breaks, or a change of one or more whole datasets (`columns` is None).

    The lineage just before `since` counts; if it has no nodes, the lineage `at` the report of the change counts. What
    came later does not, however late the alert is raised: a job that ran after a column was removed did not read it.
    Without `at`, only the lineage before counts: after a rename, another dataset may have the name.
    """
    just_before = moved_back(since, timedelta(microseconds=1))
    result = impact(reader, datasets[0], columns, Reach(MAX_DEPTH, MAX_NODES, as_of=just_before), datasets[1:])
    if at and not result.at_risk:
        result = impact(reader, datasets[0], columns, Reach(MAX_DEPTH, MAX_NODES, as_of=at), datasets[1:])
    return Downstream(result.at_risk, result.is_truncated, result.frontier)


def suffering_from(reader: Reader, run: Run, since: Instant, skip: Callable[[CorruptItem], None]) -> list[Downstream]:
    """What waits for a run that does not end well: jobs downstream of what it writes get no alert of their own. If it
    does not say what it writes, what its job writes counts. An output is left out, and `skip` is called, if an item
    downstream of it cannot be read."""
    suffering: list[Downstream] = []
    room, since = NEAR_NODES, moved_back(since, timedelta(microseconds=1))
    try:
        written = [*run.outputs] or _usual_outputs(reader, run, since)
    except CorruptItem as error:
        skip(error)
        written = []
    for number, dataset in enumerate(written):
        if number == MAX_OUTPUTS or not room:
            suffering[-1:] = [each._replace(is_truncated=True) for each in suffering[-1:]]
            break
        try:
            found = impact(reader, dataset, None, Reach(NEAR_DEPTH, room, as_of=since))
        except CorruptItem as error:
            skip(error)
            continue
        room -= len(found.at_risk)
        is_cut = any(unseen.kind is BlindSpot.BEYOND for unseen in found.frontier.unseen)
        if found.at_risk:
            suffering.append(Downstream(found.at_risk, is_cut, found.frontier))
    return suffering


def _usual_outputs(reader: Reader, run: Run, since: Instant) -> list[DatasetId]:
    expected = by_rhythms(reader, [job_id(run.job)], moment(since))
    return [used.id for each in expected.values() for used in outputs_of(reader, each)]


def _listed(at_risk: Sequence[NodeAtRisk], beginning: str, names: Mapping[str, str]) -> list[str]:
    if not at_risk:
        return []
    columns = [node for node in at_risk if node.kind is NodeKind.FIELD]
    is_open = bool(columns) and all(node.granularity is Granularity.UNKNOWN for node in columns)
    others = quantities([node for node in at_risk if node.kind is not NodeKind.FIELD])
    total = ", ".join(filter(None, [quantities(columns) + OPEN * is_open, others]))
    nodes = [node for node in at_risk if node.kind in (NodeKind.DATASET, NodeKind.FIELD)]
    nodes = nodes or [node for node in at_risk if not node.exposure]
    nodes.sort(key=lambda node: (node.distance, node.is_indirect))
    rest = len(nodes) - MAX_LINES
    return [
        f"{beginning} {total} downstream{_doubt(at_risk)}.",
        *(_line(node, names) for node in nodes[:MAX_LINES]),
        *([f"and {rest} more"] if rest > 0 else []),
    ]


def _shown(node: NodeAtRisk) -> str:
    """Example: `dashboard weekly_report, of finance (https://bi.tool/1)`."""
    members = node.exposure or {}
    owners = f", of {', '.join(node.owners)}" if node.owners else ""
    url = f" ({members['url']})" if "url" in members else ""
    return f"{members.get('type') or 'exposure'} {members.get('name')}{owners}{url}"


def _doubt(at_risk: Collection[NodeAtRisk]) -> str:
    if any(node.granularity is Granularity.DATASET for node in at_risk):
        return ", by table lineage"
    is_filter = any(node.kind is NodeKind.DATASET and node.granularity is Granularity.UNKNOWN for node in at_risk)
    return ": their producers do not report everything that they use" if is_filter else ""


def _line(node: NodeAtRisk, names: Mapping[str, str]) -> str:
    """Example: `revenue_daily.units: 2 hops away, of finance`."""
    owners = f", of {', '.join(node.owners)}" if node.owners else ""
    indirectly = ", by a filter or join" if node.is_indirect else ""
    field = f".{node.field}" if node.field else ""
    return f"{names[node.table]}{field}: {quantity(node.distance, 'hop')} away{indirectly}{owners}"
