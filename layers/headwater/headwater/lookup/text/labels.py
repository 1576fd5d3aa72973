"""What nodes are called in a text: just the name in the namespace and folder where most are; and which node a nodeId
means, if an answer has nothing else."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from headwater.graph.facets.curation import HIDDEN
from headwater.lookup.export.graph import ExportKind, ExportNode
from headwater.lookup.text.abbreviation import Abbreviations, common_beginning
from headwater.lookup.text.inert import inert, quoted, shortened

_MOST_OF_A_NAMESPACE = 30
"""Columns of a namespace beside a name."""
_OF_HIDDEN = 6
"""Digits of the name of a hidden node, enough to distinguish it."""


_KINDS = {
    "job": ExportKind.JOB,
    "dataset": ExportKind.DATASET,
    "datasetField": ExportKind.COLUMN,
    "exposure": ExportKind.EXPOSURE,
}
_AUTHORED = (ExportKind.JOB, ExportKind.EXPOSURE)
_END_OF_NAMESPACE = re.compile(r":(?!//|\d)")


def node_of(node_id: str) -> ExportNode:
    """The node of `dataset:NAMESPACE:NAME`, split where it most likely is to be split.

    No rule can split all nodeIds, since namespaces and names have colons. In most of those of a namespace, `//` or a
    port follows.
    """
    kind, _, rest = node_id.partition(":")
    export_kind, field = _KINDS.get(kind, ExportKind.DATASET), None
    if export_kind is ExportKind.COLUMN:
        rest, _, field = rest.rpartition(":")
    at = max((match.start() for match in _END_OF_NAMESPACE.finditer(rest)), default=rest.find(":"))
    return ExportNode(export_kind, rest[:at] if at > 0 else "", rest[at + 1 :], field)


class Labels:
    """The labels of the nodes of one text.

    datasets_in, jobs_in    the namespaces that go without saying: those of the first node, or of most
    folder                  what the names of all datasets of `datasets_in` begin with

    A node in `displayed`, by nodeId, is called by that name. A dataset's own name stands beside it, since it shows the
    path; that of a job or exposure would only show how a producer spells it.
    """

    def __init__(
        self, nodes: Collection[ExportNode], first: ExportNode | None = None, displayed: Mapping[str, str] | None = None
    ) -> None:
        self._displayed = displayed or {}
        ordered = [*([first] if first else []), *sorted(nodes)]
        jobs = [node for node in ordered if node.kind is ExportKind.JOB]
        datasets = [node for node in ordered if node.kind not in _AUTHORED]
        self.jobs_in = _home(jobs, first)
        self.datasets_in = _home(datasets, first)
        plain = [node for node in datasets if not self._called(node)]
        self.folder = _folder({node.name for node in plain if node.namespace == self.datasets_in})
        self._abbreviations = Abbreviations(map(self.name, ordered))

    def name(self, node: ExportNode) -> str:
        """The name, without the folder; of a column `table.column`."""
        if node.namespace == HIDDEN:
            return node.name[:_OF_HIDDEN]
        if node.kind in _AUTHORED:
            return quoted(self._called(node) or node.name)
        path = node.name.removeprefix(self.folder) if node.namespace == self.datasets_in else node.name
        below = self._called(node) or path
        return quoted(below if node.field is None else f"{below}.{node.field}")

    def _called(self, node: ExportNode) -> str | None:
        return self._displayed.get((node if node.kind in _AUTHORED else node.dataset).id)

    def fit(self, node: ExportNode, width: int) -> str:
        """The name in at most so many columns, distinct from the other names of the text."""
        return self._abbreviations.fit(self.name(node), width)

    def elsewhere(self, node: ExportNode) -> str:
        """The namespace of a node, unless it goes without saying, as that of an exposure does."""
        if node.namespace == HIDDEN:
            return "(of a namespace that the key may not read)"
        if node.kind is ExportKind.EXPOSURE:
            return ""
        if self._called(node) and node.kind is not ExportKind.JOB:
            return inert(f"{node.namespace.rstrip('/')}/{node.name.lstrip('/')}")
        home = self.jobs_in if node.kind is ExportKind.JOB else self.datasets_in
        return "" if node.namespace == home else shortened(inert(node.namespace), _MOST_OF_A_NAMESPACE)

    def where(self, width: int) -> str:
        """What goes without saying: `(datasets in s3://lake below sales/, jobs in prod)`."""
        below = f" below {inert(self.folder)}" if self.folder else ""
        datasets = f"datasets in {inert(self.datasets_in)}{below}" if self.datasets_in else ""
        jobs = f"jobs in {inert(self.jobs_in)}" if self.jobs_in else ""
        return f"({shortened(', '.join(filter(None, [datasets, jobs])), width - 2)})"


def _home(nodes: Iterable[ExportNode], first: ExportNode | None) -> str:
    counted = Counter(node.namespace for node in nodes if node.namespace != HIDDEN)
    if first and first.namespace in counted and first in nodes:
        return first.namespace
    return max(counted, key=lambda namespace: counted[namespace], default="")


def _folder(names: Collection[str]) -> str:
    """The folder that all names are in, with its slash."""
    if len(names) < 2:
        return ""
    common = common_beginning({name[: name.rstrip("/").rfind("/") + 1] for name in names})
    folder = common[: common.rfind("/") + 1]
    return folder if folder.strip("/") else ""
