"""What a change breaks downstream: columns, datasets and jobs, the nearest first, with their owners.

It is asked as things were just before the change: the job that brought it may already say other things of its columns.
"""

from collections import Counter
from collections.abc import Collection
from datetime import timedelta
from typing import NamedTuple

from headwater.alerts.alert import counted, short, united
from headwater.graph.identity import NodeId, NodeKind
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import Instant, instant_of, to_datetime
from headwater.read.reader import Reader
from headwater.traversal.impact import AtRisk, Impact, Reach, impact
from headwater.traversal.impact_propagation import Granularity

DEPTH, MOST = 10, 500
NAMED, TOLD = 50, 8
"""Of what breaks, how much an alert names, and how much of that a person is told; the link leads to all of it."""
_KINDS = {NodeKind.FIELD: "column", NodeKind.DATASET: "dataset", NodeKind.JOB: "job"}


class Downstream(NamedTuple):
    """What would break, the nearest first, and whether there is more."""

    at_risk: tuple[AtRisk, ...]
    is_truncated: bool

    def __bool__(self) -> bool:
        return bool(self.at_risk)

    @property
    def owners(self) -> tuple[str, ...]:
        return united(*(each.owners for each in self.at_risk))

    def without(self, node_id: str) -> "Downstream":
        """The same but for one node: who looked is not at risk by what it saw."""
        return self._replace(at_risk=tuple(each for each in self.at_risk if each.node_id != node_id))

    def as_json(self) -> JsonObject:
        counts = Counter(each.kind for each in self.at_risk)
        return {
            "items": [{**each.as_json(), "owners": list(each.owners)} for each in self.at_risk[:NAMED]],
            **{f"{noun}s": counts[kind] for kind, noun in _KINDS.items()},
            "by": _by(self.at_risk),
            "truncated": self.is_truncated or len(self.at_risk) > NAMED,
        }

    def lines(self, told_as: str) -> list[str]:
        """How much it is, told so, then the nearest columns and datasets, which say more to a person than jobs."""
        if not self.at_risk:
            return ["Nothing downstream is known to use it."]
        counts = Counter(each.kind for each in self.at_risk)
        told = ", ".join(counted(counts[kind], noun) for kind, noun in _KINDS.items() if counts[kind])
        more = "at least " if self.is_truncated else ""
        doubt = (
            ""
            if _by(self.at_risk) == Granularity.COLUMN
            else ", by the lineage of datasets: of some columns none is known"
        )
        places = [each for each in self.at_risk if each.kind is not NodeKind.JOB] or list(self.at_risk)
        places.sort(key=lambda each: (each.distance, each.is_indirect))
        rest = len(places) - TOLD
        return [
            f"{told_as} {more}{told} downstream{doubt}.",
            *(_line(each) for each in places[:TOLD]),
            *([f"and {rest} more"] if rest > 0 else []),
        ]


def downstream(reader: Reader, dataset: NodeId, columns: Collection[str] | None, since: Instant) -> Downstream:
    """What a change of these columns (None: of all of the dataset) at a time breaks; as it was then, or, if nothing is
    known of then, as it is now."""
    before = Reach(DEPTH, MOST, as_of=_just_before(since))
    found: Impact = impact(reader, dataset, columns, before)
    if not found.at_risk:
        found = impact(reader, dataset, columns, Reach(DEPTH, MOST))
    return Downstream(found.at_risk, found.is_truncated)


def _just_before(time: Instant) -> Instant:
    return instant_of(to_datetime(time) - timedelta(microseconds=1))


def _by(at_risk: Collection[AtRisk]) -> str | None:
    """How surely it is known: `column` only if that holds for all columns and datasets; without any, for the jobs."""
    ways = {each.granularity for each in at_risk if each.kind is not NodeKind.JOB} or {
        each.granularity for each in at_risk
    }
    return None if not ways else (Granularity.DATASET if Granularity.DATASET in ways else Granularity.COLUMN).value


def _line(of: AtRisk) -> str:
    owned = f", of {', '.join(of.owners)}" if of.owners else ""
    indirectly = ", by a filter or join" if of.is_indirect else ""
    return f"{_named(of)}: {counted(of.distance, 'job')} away{indirectly}{owned}"


def _named(of: AtRisk) -> str:
    """`revenue_daily.units`: the end of a path, and the column."""
    if of.kind is not NodeKind.FIELD:
        return short(of.node_id)
    dataset, _, field = of.node_id.rpartition(":")
    return f"{short(dataset)}.{field}"
