"""The frontier of an answer: what the answer looked at, since when, and what it cannot see.

"Nothing" only covers what was reported. What was not may still be there: a job that sends no column lineage may use the
column, and a notebook that sends nothing may read the table. The frontier lists the blind spots that the answer came
across anyway; it costs no reads of its own. Without blind spots, "nothing" means nothing.

The API, alerts, the terminal, the page and assistants all take the frontier from here, in the same words.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import NEVER, Instant, parse_instant, shown

MAX_EXAMPLES = 3
MAX_NAME = 60
"""Characters of the end of a table's or job's name in a sentence."""
_END_OF_NAMESPACE = re.compile(r":(?!//|\d+:)")
"""A colon that neither ends a scheme nor begins a port."""


class BlindSpot(StrEnum):
    """What an answer cannot see. A leaf of the graph is a blind spot downstream, since a reader that sends no lineage
    leaves no trace; upstream only a dataset is, since the runs of a job that writes it are seen."""

    COLUMNS = "COLUMNS_OF_UNKNOWN_ORIGIN"
    JOBS_WITHOUT_COLUMNS = "JOBS_WITHOUT_COLUMN_LINEAGE"
    JOBS_WITHOUT_FILTERS = "JOBS_WITHOUT_FILTERS_AND_JOINS"
    JOBS_INCOMPLETE = "JOBS_WITH_INCOMPLETE_LINEAGE"
    JOBS_WITHOUT_OUTPUTS = "JOBS_WITHOUT_OUTPUTS"
    JOBS_WITHOUT_DATASETS = "JOBS_WITHOUT_DATASETS"
    JOBS_WITHOUT_RUNS = "JOBS_WITHOUT_RUNS"
    JOBS_WITHOUT_CODE = "JOBS_WITHOUT_CODE"
    READERS = "READERS_THAT_DO_NOT_REPORT"
    PAST_READERS = "READERS_OF_A_PAST_TIME"
    WRITERS = "WRITERS_THAT_DO_NOT_REPORT"
    SCHEMAS = "DATASETS_WITHOUT_SCHEMA"
    HIDDEN = "NODES_THAT_THE_KEY_MAY_NOT_READ"
    JOBS_OF_OTHERS = "JOBS_THAT_THE_KEY_MAY_NOT_READ"
    BEYOND = "BEYOND_THE_BOUNDS"
    ANALYSIS = "NO_ANALYSIS"


_WORDS = {
    BlindSpot.COLUMNS: ("", "column", " of unknown origin"),
    BlindSpot.JOBS_WITHOUT_COLUMNS: ("", "job", " without column lineage"),
    BlindSpot.JOBS_WITHOUT_FILTERS: ("", "job", " whose filters and joins are not reported"),
    BlindSpot.JOBS_INCOMPLETE: ("", "job", " whose producer says that its lineage is incomplete"),
    BlindSpot.JOBS_WITHOUT_OUTPUTS: ("", "job", " without a known output"),
    BlindSpot.JOBS_WITHOUT_DATASETS: ("", "job", " without datasets"),
    BlindSpot.JOBS_WITHOUT_RUNS: ("", "job", " without a known run"),
    BlindSpot.JOBS_WITHOUT_CODE: (
        "whether the code of ",
        "job",
        " was mended, since no version is told and no plan compared",
    ),
    BlindSpot.READERS: ("readers of ", "dataset", " that send no lineage, such as BI tools and notebooks"),
    BlindSpot.PAST_READERS: ("readers of that time that sent no column lineage", "", ""),
    BlindSpot.WRITERS: ("writers of ", "dataset", " that send no lineage"),
    BlindSpot.SCHEMAS: ("", "dataset", " without a schema"),
    BlindSpot.HIDDEN: ("", "node", " in namespaces that the key may not read"),
    BlindSpot.JOBS_OF_OTHERS: ("jobs in namespaces that the key may not read", "", ""),
    BlindSpot.BEYOND: ("what lies beyond the bounds of the walk", "", ""),
    BlindSpot.ANALYSIS: ("the graph, which no analysis has looked at", "", ""),
}


@dataclass(frozen=True, slots=True)
class Unseen:
    """A blind spot: how many nodes it has, and the nodeIds of a few."""

    kind: BlindSpot
    count: int
    examples: tuple[str, ...] = ()

    def as_json(self) -> JsonObject:
        return {"kind": self.kind.value, "count": self.count, "examples": list(self.examples)}

    def __str__(self) -> str:
        """Example: `2 jobs without column lineage (copy, export)`."""
        before, noun, after = _WORDS[self.kind]
        named = ", ".join(short_names(self.examples).values()) + (", ..." if self.count > len(self.examples) else "")
        return f"{before}{_count(self.count, noun)}{after}{f' ({named})' if self.examples else ''}"


@dataclass(frozen=True, slots=True)
class Frontier:
    """The jobs and datasets that an answer looked at, the time of the first event that it may know of, and its blind
    spots."""

    since: Instant = NEVER
    jobs: int = 0
    datasets: int = 0
    unseen: tuple[Unseen, ...] = ()

    @classmethod
    def of_json(cls, document: Any) -> "Frontier":
        """The frontier in a document, as far as it has the form of one: counts, without the examples."""
        match document:
            case {"since": since, "seen": {"jobs": int(jobs), "datasets": int(datasets)}, "unseen": list(unseen)}:
                return cls(_instant(since), jobs, datasets, blind_spots(*filter(None, map(_counted, unseen))))
        return cls()

    @property
    def sentence(self) -> str:
        """The frontier for people; empty if there is no blind spot.

        Example: `It looked at 1 job and 2 datasets, since 2026-11-20 08:00Z; not seen: 1 job without column
        lineage (copy).`
        """
        if not self.unseen:
            return ""
        looked = [_count(number, noun) for number, noun in ((self.jobs, "job"), (self.datasets, "dataset")) if number]
        since = f"since {self.since[:16].replace('T', ' ')}Z"
        seen = [f"it looked at {' and '.join(looked)}"] if looked else []
        seen += [since if looked else f"events are known {since}"] if self.since else []
        told = "; ".join([*([", ".join(seen)] if seen else []), f"not seen: {'; '.join(map(str, self.unseen))}."])
        return told[0].upper() + told[1:]

    def as_json(self) -> JsonObject:
        return {
            "since": shown(self.since) if self.since else None,
            "seen": {"jobs": self.jobs, "datasets": self.datasets},
            "unseen": [unseen.as_json() for unseen in self.unseen],
            "sentence": self.sentence,
        }


def blind_spots(*found: tuple[BlindSpot, Collection[str] | int]) -> tuple[Unseen, ...]:
    """The blind spots that have nodes, each by the nodeIds, or by the number of nodes that are not to be named."""
    spots = (
        Unseen(kind, nodes) if isinstance(nodes, int) else Unseen(kind, len(nodes), _first(nodes))
        for kind, nodes in found
    )
    return tuple(spot for spot in spots if spot.count)


def _counted(spot: Any) -> tuple[BlindSpot, int] | None:
    match spot:
        case {"kind": str(kind), "count": int(count)} if kind in set(BlindSpot) and count > 0:
            return BlindSpot(kind), count
    return None


def _instant(time: Any) -> Instant:
    try:
        return parse_instant(time) if isinstance(time, str) else NEVER
    except ValueError:
        return NEVER


def _first(nodes: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(nodes)[:MAX_EXAMPLES])


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}" if noun else ""


def short_names(node_ids: Iterable[str]) -> dict[str, str]:
    """The ends of nodeIds: `orders` of `dataset:s3://lake:sales/orders`, `orders.price` of a column of it. Tables that
    have the same end are shown with their folders, `sales/orders`, or with all of their names: `s3://lake:orders`."""
    parts = {node_id: _parts(node_id) for node_id in node_ids}
    names = {(kind, node): node for kind, node, _ in parts.values()}
    for segments in (2, 1):
        ends = {each: _end(each[1], segments) for each in names}
        same = Counter((kind, end) for (kind, _), end in ends.items())
        names |= {each: end for each, end in ends.items() if same[each[0], end] == 1}
    return {node_id: names[kind, node] + field for node_id, (kind, node, field) in parts.items()}


def _parts(node_id: str) -> tuple[str, str, str]:
    """The kind and nodeId of a job or table, and the column with a dot."""
    kind, _, rest = node_id.partition(":")
    if kind != "datasetField":
        return kind, rest, ""
    table, dot, field = rest.rpartition(":")
    return "dataset", table, "." * len(dot) + field


def _end(node: str, segments: int) -> str:
    """The end of the name that a nodeId most likely has: no rule can tell the namespace from the name."""
    name = _END_OF_NAMESPACE.split(node, maxsplit=1)[-1]
    end = "/".join(name.rstrip("/").split("/")[-segments:]) or node
    return end if len(end) <= MAX_NAME else f"…{end[1 - MAX_NAME :]}"
