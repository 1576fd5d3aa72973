"""GET /impact: the nodes downstream that a change of a dataset or column would break, or may break, by owner, in
pages."""

from collections.abc import Iterable, Mapping, Sequence

from headwater.graph.facets.schema import fields_of
from headwater.graph.names.identity import DatasetId, dataset_id, node_id
from headwater.http.marquez.datasets import display_names
from headwater.http.paging import within_size_limit
from headwater.http.request import ApiRequest, PageRequest
from headwater.http.subjects import no_column, time_from_query
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.faults import Fault, InvalidRequest, NotFound
from headwater.openlineage.instant import Instant
from headwater.read.good_writes import cautions
from headwater.read.name_resolution import NamedNode
from headwater.read.reader import Reader
from headwater.traversal.impact import Impact, NodeAtRisk, Reach, counted, impact
from headwater.traversal.impacted_node import Granularity
from headwater.traversal.lineage import View


def at_risk(reader: Reader, request: ApiRequest, node: NamedNode) -> JsonObject:
    """The jobs, datasets and columns downstream, a page of at most `limit`, the certain ones first."""
    view = request.choice("view", View) or View.CURRENT
    page, reach = _page(request), Reach(request.depth(), as_of=time_from_query(reader, request, node), view=view)
    impacted = impact(reader, node.dataset, None if node.field is None else [node.field], reach)
    if impacted.head is None:
        raise NotFound(f"Dataset '{node.name.name}' not found.")
    if not _is_known(reader, node, impacted, reach.as_of):
        raise no_column(reader, node)
    shown = node_id(node.kind, impacted.head.facts.name)
    on_page = impacted.at_risk[page.offset :][: page.limit]
    doubts = _cautions(reader, impacted, on_page, reach.as_of)
    return {
        "nodeId": shown if node.field is None else f"{shown}:{node.field}",
        **doubts.get(dataset_id(impacted.head.facts.name), {}),
        **_paged(impacted, on_page, doubts, page),
    }


def _cautions(
    reader: Reader, impacted: Impact, on_page: Iterable[NodeAtRisk], as_of: Instant | None
) -> dict[DatasetId | None, JsonObject]:
    """A caution for the changed dataset, and for each of a page, if none of its writes went well."""
    known = impacted.known
    if impacted.head is None or known is None:
        return {}
    datasets = {dataset_id(impacted.head.facts.name), *(node.dataset for node in on_page if node.dataset)}
    readable = sorted(dataset for dataset in datasets if not known.heads[dataset].is_foreign)
    found = cautions(reader, known.known_writers(readable), as_of)
    return {dataset: {"caution": caution} for dataset, caution in found.items()}


def _page(request: ApiRequest) -> PageRequest:
    page = request.page()
    if page.after is None:
        return page
    if not page.after.isdigit():
        raise InvalidRequest(Fault("cursor", "expected the cursor of an earlier response"))
    return page._replace(offset=int(page.after))


def _is_known(reader: Reader, node: NamedNode, impacted: Impact, as_of: Instant | None) -> bool:
    """Whether the column exists: in the schema, or in the column lineage of a job."""
    if (
        node.field is None
        or impacted.head is None
        or any(node_at_risk.granularity is Granularity.COLUMN for node_at_risk in impacted.at_risk)
    ):
        return True
    heads = {dataset_id(impacted.head.facts.name): impacted.head}
    (head,) = (reader.datasets_at(heads, as_of) if as_of else heads).values()
    return any(field["name"] == node.field for field in fields_of(head.schema))


def _paged(
    impacted: Impact, on_page: Sequence[NodeAtRisk], doubts: Mapping[DatasetId | None, JsonObject], page: PageRequest
) -> JsonObject:
    total = len(impacted.at_risk)
    items = within_size_limit({**node.as_json(), **doubts.get(node.dataset, {})} for node in on_page)
    end = page.offset + len(items)
    answer: JsonObject = {
        "totalCount": total,
        "breaks": counted(impacted.at_risk),
        "owners": _by_owner(zip(on_page, items, strict=False)),
    }
    if possible := sum(node.is_possible for node in impacted.at_risk):
        answer["possibleCount"] = possible
    if impacted.hidden:
        answer["hiddenCount"] = impacted.hidden
    if impacted.is_truncated:
        answer["truncated"] = True
    if items and end < total:
        answer["cursor"] = page.cursor(str(end), total)
    return {**answer, **_called(impacted, on_page), "frontier": impacted.frontier.as_json()}


def _called(impacted: Impact, on_page: Sequence[NodeAtRisk]) -> JsonObject:
    """What is shown in place of a name: the names in a catalogue of the changed dataset and of those on the ways of a
    page, and the names of exposures."""
    steps = {step for node in on_page for step in node.path}
    of_columns = {step.removeprefix("datasetField:").rpartition(":")[0] for step in steps}
    shown = {step.removeprefix("dataset:") for step in steps} | of_columns
    heads = impacted.known.heads.values() if impacted.known else ()
    of_tables = display_names(head for head in heads if head is impacted.head or ":".join(head.facts.name) in shown)
    of_exposures = {node.node_id: node.exposure["name"] for node in on_page if node.exposure}
    return {"displayNames": of_tables.get("displayNames", {}) | of_exposures} if of_exposures else of_tables


def _by_owner(items: Iterable[tuple[NodeAtRisk, JsonObject]]) -> list[JsonObject]:
    """The nodes at risk under each of their owners; nodes without an owner come last."""
    owned: dict[str | None, list[JsonObject]] = {}
    for node, item in items:
        for owner in node.owners or (None,):
            owned.setdefault(owner, []).append(item)
    ranked = sorted(owned, key=lambda owner: (owner is None, owner or ""))
    return [{"owner": owner, "items": owned[owner]} for owner in ranked]
