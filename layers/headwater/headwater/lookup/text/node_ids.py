"""NodeIds, where an answer has nothing else to tell a node by."""

import re

from headwater.lookup.export.graph import ExportKind, ExportNode

_KINDS = {"job": ExportKind.JOB, "dataset": ExportKind.DATASET, "datasetField": ExportKind.COLUMN}
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
