"""Nodes by the names that people type: a nodeId, a whole name, or the end of a name where that is unique.

s3://lake warehouse/orders_daily       namespace and name
warehouse/orders_daily, orders_daily   the end of a name
mart.orders_daily                      the name in a catalogue, or the end of a path: mart/orders_daily
table/mart/orders_daily                another name of the table, by its symlinks
dbfs:/mnt/orders_daily                 a path, by any name that the API knows
dataset:s3://lake:orders_daily         a nodeId, with which nothing has to be searched
"""

import difflib
import re
from collections.abc import Collection, Iterator, Sequence
from enum import IntEnum
from typing import Any, NamedTuple

from headwater.cli.api import Api
from headwater.cli.failure import UNKNOWN, WRONG_COMMAND, CommandFailure
from headwater.cli.lookups.shell import command
from headwater.cli.refusal import NotFoundFailure
from headwater.lookup.text.inert import inert

DATASET, JOB, COLUMN = "dataset", "job", "datasetField"
_KINDS = (DATASET, JOB, COLUMN)
_WORDS_FOR = {COLUMN: "column"}
_AT_A_TIME, _REQUESTS = 1_000, 2
"""The search knows at most 2,000 matches."""
_LISTED = 10
_NEAR = 5
_WORDS = 3
"""Words of a name that are searched for if the name is not found."""


class KnownNode(NamedTuple):
    """A node of the graph, as the search has it, perhaps with the name that it has in a catalogue, with its other
    names, each with its namespace, and with what else of it matched; a node that was named by its nodeId has no other
    name."""

    node_id: str
    namespace: str = ""
    name: str = ""
    display: str = ""
    others: tuple[tuple[str, str], ...] = ()
    matched: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        return self.node_id.partition(":")[0]

    def column(self, field: str) -> str:
        """The nodeId of a column of the dataset."""
        return f"{COLUMN}{self.node_id.removeprefix(DATASET)}:{field}"


class Resolved(NamedTuple):
    """The node that is meant, and the others that the same text may mean."""

    node: KnownNode
    others: Sequence[KnownNode] = ()


class Match(IntEnum):
    """How a text means a node, the surest first."""

    WHOLE = 0
    NAME = 1
    END = 2
    END_IN_ANY_CASE = 3
    PARTS = 4


def resolve(api: Api, text: str, kinds: Collection[str], asking: Sequence[str]) -> Resolved:
    """The node of a text. Raises CommandFailure if there is none or if there are several: with commands to type next.

    `asking` is the command, with "{}" for the node. If a dataset and a job have the name, the dataset is meant: where
    `kinds` has both, most questions are about tables.
    """
    kind = text.partition(":")[0]
    if kind in _KINDS and ":" in text.removeprefix(f"{kind}:"):
        if kind not in kinds:
            what = f"{inert(text)} is not a {' or '.join(_WORDS_FOR.get(kind, kind) for kind in kinds)}"
            raise CommandFailure(what, f"`headwater {asking[0]} --help` has an example", status=WRONG_COMMAND)
        return Resolved(KnownNode(text))
    known = _known(api, text)
    found = [node for node in known if node.kind in kinds]
    for chosen in (DATASET, JOB):
        best = _best(text, [node for node in found if node.kind == chosen])
        others = [node for node in found if node not in best and _match(text, node) is not None]
        if len(best) == 1:
            return Resolved(best[0], others)
        if best:
            raise _several(text, [*best, *others], asking)
    if DATASET in kinds and (node := _by_path(api, text)):
        return Resolved(node)
    raise _none(api, text, known, kinds, asking)


def _known(api: Api, text: str) -> list[KnownNode]:
    """What the search finds by a part of a text, if the text means a node among it, else what it finds first: a job
    `reader0` has the last part of `wh/orders/_temporary/0`, and is not meant."""
    first: list[KnownNode] = []
    for part in dict.fromkeys([_last_part(text), text, _parts(text)[-1]]):
        found = _search(api, part)
        if any(_match(text, node) is not None for node in found):
            return found
        first = first or found
    return first


def commands(asking: Sequence[str], nodes: Collection[KnownNode]) -> list[str]:
    """The command for each of some nodes, at most ten."""
    shown = [
        command("headwater", *(node.node_id if word == "{}" else word for word in asking))
        for node in list(nodes)[:_LISTED]
    ]
    return shown + ([f"and {len(nodes) - _LISTED:,} more"] if len(nodes) > _LISTED else [])


def _search(api: Api, text: str) -> list[KnownNode]:
    """The jobs and datasets that have a text in their names."""
    found: list[KnownNode] = []
    page: Any = {"cursor": None}
    for _ in range(_REQUESTS if text.strip() else 0):
        page = api.ask("search", q=text, limit=_AT_A_TIME, cursor=page["cursor"]).document
        found += [
            KnownNode(
                entry["nodeId"],
                entry["namespace"],
                entry["name"],
                entry.get("displayName", ""),
                tuple((other["namespace"], other["name"]) for other in entry.get("otherNames", ())),
                tuple(entry.get("matchedIn", ())),
            )
            for entry in page["results"]
        ]
        if "cursor" not in page:
            break
    return found


def _last_part(text: str) -> str:
    """What certainly belongs to the name, if it is namespace and name, with a slash or a colon between them."""
    return re.split("[/:]", text.rstrip("/"))[-1]


def _best(text: str, nodes: Collection[KnownNode]) -> list[KnownNode]:
    """The nodes that a text means most surely."""
    matches = {node: match for node in nodes if (match := _match(text, node)) is not None}
    surest = min(matches.values(), default=None)
    return [node for node, match in matches.items() if match is surest]


def _match(text: str, node: KnownNode) -> Match | None:
    known = [(node.namespace, node.name), *node.others]
    joined = [f"{namespace.rstrip('/')}/{name.lstrip('/')}" for namespace, name in known]
    if text in joined or any(text in (f"{namespace}:{name}", f"{namespace}/{name}") for namespace, name in known):
        return Match.WHOLE
    if text == node.display or any(text == name for _, name in known):
        return Match.NAME
    names = [*joined, *([node.display] if node.display else [])]
    if any(_ends(name, text) for name in names):
        return Match.END
    if any(_ends(name.casefold(), text.casefold()) for name in names):
        return Match.END_IN_ANY_CASE
    wanted = _parts(text)
    return Match.PARTS if len(wanted) > 1 and any(_parts(name)[-len(wanted) :] == wanted for name in names) else None


def _parts(name: str) -> list[str]:
    """The parts of a name in any case, whatever separates them: of `lake/sales.db/Daily` lake, sales, daily."""
    return re.split("[/:.]+", re.sub(r"\.db(?=/)", "", name).strip("/").casefold())


def _ends(name: str, text: str) -> bool:
    """Whether a text is the last parts of a name: of a path, or of a qualified name."""
    name, text = name.rstrip("/"), text.strip("/")
    return name == text or (bool(text) and name.endswith(text) and name[-len(text) - 1] in "/.:")


def _by_path(api: Api, text: str) -> KnownNode | None:
    """The dataset of a path such as s3a://bucket/folder or dbfs:/folder, by any of its names: the API knows them
    all."""
    path = re.fullmatch(r"([^:/]+)(?:(://[^/]+)/|:(?=/))(.+)", text, re.DOTALL)
    if not path:
        return None
    node = KnownNode(f"{DATASET}:{path[1]}{path[2] or ''}:{path[3]}")
    try:
        api.ask("aliases", nodeId=node.node_id, limit=1)
    except NotFoundFailure:
        return None
    return node


def _several(text: str, nodes: Collection[KnownNode], asking: Sequence[str]) -> CommandFailure:
    what = f"{len(nodes):,} nodes are called {inert(text)}; ask for one of them:"
    return _naming(what, nodes, asking)


def _naming(what: str, nodes: Collection[KnownNode], asking: Sequence[str]) -> CommandFailure:
    """A failure with the nodes that may be meant."""
    named = [node.node_id for node in nodes][:_LISTED]
    return CommandFailure(what, status=UNKNOWN, listed=commands(asking, nodes), nodes=named)


def _none(
    api: Api, text: str, known: Collection[KnownNode], kinds: Collection[str], asking: Sequence[str]
) -> CommandFailure:
    """The failure of a name that no node has, with the nodes that have similar names."""
    of_another_kind = _best(text, [node for node in known if node.kind not in kinds])
    what = f"no {' or '.join(kind for kind in kinds if kind != COLUMN)} is called {inert(text)}"
    if of_another_kind:
        what += f", but a {of_another_kind[0].kind} is; the nodes around it:"
        return _naming(what, of_another_kind[:_NEAR], ("lineage", "{}"))
    place = f"exposure {text}".casefold()
    if read := [node for node in known if place in map(str.casefold, node.matched)]:
        return _naming(f"{what}, but an exposure is; what it reads:", read, asking)
    near = _near(api, text, [node for node in known if node.kind in kinds], kinds)
    if near:
        return _naming(f"{what}; similar names:", near, asking)
    steps_if_empty = (
        "`headwater runs` lists the jobs that have reported",
        "`headwater doctor` says why a graph is empty",
    )
    return CommandFailure(what, *steps_if_empty, status=UNKNOWN)


def _near(api: Api, text: str, known: Sequence[KnownNode], kinds: Collection[str]) -> list[KnownNode]:
    """The nodes with the most similar names, of those that have a word of the text or its beginning."""
    last = _last_part(text).casefold()
    candidates = dict.fromkeys(known)
    for word in [] if known else _words(last):
        candidates |= dict.fromkeys(node for node in _search(api, word) if node.kind in kinds)
    likeness = {node: _likeness(last, node) for node in candidates}
    nearest = sorted((node for node in candidates if likeness[node] > 0.5), key=lambda node: -likeness[node])
    return nearest[:_NEAR]


def _words(text: str) -> Iterator[str]:
    """Parts of a name to search for: its longest words, and how it begins."""
    words = sorted((word for word in re.split(r"[\W_]+", text) if len(word) > 2 and word != text), key=len)
    yield from dict.fromkeys([*reversed(words[-_WORDS + 1 :]), text[:3]])


def _likeness(text: str, node: KnownNode) -> float:
    """How similar a text is to the last part of a name: 1 for equal texts, and for a part of the name."""
    name = node.name.rstrip("/").casefold()
    if len(text) > 2 and text in name:
        return 1.0
    return difflib.SequenceMatcher(None, text, re.split("[/.]", name)[-1]).ratio()
