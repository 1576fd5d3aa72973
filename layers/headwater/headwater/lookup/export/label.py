"""The labels of nodes and edges in a picture: a name of any length and any characters, shortened and made visible."""

from headwater.lookup.export.graph import ExportEdge, ExportKind, ExportNode

LENGTH = 60
TRUNCATED = "truncated: the graph goes on beyond this"
_TURNING = dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0xFFFD)
"""Characters that turn the direction of writing: what follows in the line would be read backwards."""
_PICTURES = {code: 0x2400 + code for code in range(0x20)} | dict.fromkeys(range(0x7F, 0xA0), 0xFFFD) | {0x7F: 0x2421}


def lines(node: ExportNode) -> list[str]:
    """The lines of a node's label: a column has only its name, since it is drawn in its dataset."""
    names = [node.name, node.namespace] if node.field is None else [node.field]
    return [shortened(shown(name)) for name in names]


def inner_lines(node: ExportNode) -> list[str]:
    """The lines of a label in the frame of a dataset. There, the node of the dataset stands for all its columns."""
    return ["all columns"] if node.kind is ExportKind.DATASET else lines(node)


def of_edge(edge: ExportEdge) -> str:
    """The transformations of an edge, each once: by subtype, or by type if there is no subtype."""
    kinds = [step.get("subtype") or step.get("type") for step in edge.steps or ()]
    return shortened(shown(", ".join(dict.fromkeys(kind for kind in kinds if isinstance(kind, str)))))


def shown(text: str) -> str:
    """The text in one line and one direction of writing, with a mark in the place of what would turn it."""
    return visible(text).translate(_TURNING)


def visible(text: str) -> str:
    """The text in one line, with pictures of control characters: SVG allows no control character."""
    return text.translate(_PICTURES)


def shortened(text: str) -> str:
    """A long text without its middle: the start of a path shows its store, the end distinguishes it."""
    if len(text) <= LENGTH:
        return text
    kept = (LENGTH - 1) // 2
    return f"{text[: LENGTH - 1 - kept]}…{text[-kept:]}"
