"""What production loses by a change: who certainly reads what goes, who may, and what cannot be seen."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from headwater.cli.ci.comparison import ChangeComparison, Loss
from headwater.cli.ci.production import Production
from headwater.graph.names.identity import NodeKind, node_id
from headwater.lookup.text.labels import node_of
from headwater.openlineage.event import Name
from headwater.openlineage.exact_json import JsonObject

MOST_JOBS = 20
"""Jobs that are asked for how often they run."""


@dataclass(frozen=True, slots=True)
class Consequence:
    """A loss, and the nodes of production downstream, as GET /impact lists them.

    is_known    whether production has the column or table
    certain     what the loss breaks, the nearest first
    may         what it breaks or not: production cannot tell
    adapted     what no longer depends on the column or table after the change
    unseen      what production cannot see, as a sentence
    """

    loss: Loss
    is_known: bool
    certain: list[JsonObject] = field(default_factory=list)
    may: list[JsonObject] = field(default_factory=list)
    adapted: list[JsonObject] = field(default_factory=list)
    owners: list[str] = field(default_factory=list)
    runs_a_day: dict[str, float] = field(default_factory=dict)
    hidden: int = 0
    unseen: str = ""

    @property
    def exposures(self) -> list[JsonObject]:
        """The dashboards, reports and models that read it."""
        return [item for item in (*self.certain, *self.may) if item["type"] == "EXPOSURE"]

    def as_json(self) -> JsonObject:
        loss = self.loss
        return {
            "nodeId": loss.node,
            "namespace": loss.dataset.namespace,
            "dataset": loss.dataset.name,
            "column": loss.column or None,
            "change": loss.change,
            "before": loss.before,
            "after": loss.after,
            "isKnown": self.is_known,
            "certain": self.certain,
            "may": self.may,
            "adapted": [item["nodeId"] for item in self.adapted],
            "owners": self.owners,
            "runsADay": self.runs_a_day,
            "hiddenCount": self.hidden,
            "unseen": self.unseen,
        }


def consequences(compared: ChangeComparison, production: Production) -> list[Consequence]:
    """The consequence of each loss. Raises CommandFailure."""
    return [_of(loss, compared, production) for loss in compared.losses()]


def _of(loss: Loss, compared: ChangeComparison, production: Production) -> Consequence:
    asked, answer = loss, production.impact(loss)
    # Lineage is of whole columns: who reads `address` may read `address.street`.
    if is_part := answer is None and "." in loss.column:
        asked = loss._replace(column=loss.column.partition(".")[0])
        answer = production.impact(asked)
    if answer is None:
        return Consequence(loss, is_known=False)
    owners: dict[str, list[str]] = {}
    items: dict[str, JsonObject] = {}
    for group in answer["owners"]:
        for item in group["items"]:
            items[item["nodeId"]] = {**item, "owners": owners.setdefault(item["nodeId"], [])}
            owners[item["nodeId"]] += [group["owner"]] if group["owner"] else []
    ranked = sorted(items.values(), key=lambda item: (item["distance"], item["nodeId"]))
    adapted = [item for item in ranked if item["type"] != "JOB" and _is_adapted(item, asked, compared)]
    jobs = {step for item in ranked if item not in adapted and item["type"] != "JOB" for step in item["path"]}
    of_adapted = {step for item in adapted for step in item["path"]}
    adapted += [item for item in ranked if item["nodeId"] in of_adapted - jobs and item["type"] == "JOB"]
    reading = [item for item in ranked if item not in adapted]
    certain = [item for item in reading if not (is_part or item["possible"])]
    may = [item for item in reading if is_part or item["possible"]]
    return Consequence(
        loss,
        is_known=True,
        certain=certain,
        may=may,
        adapted=adapted,
        owners=sorted({owner for item in certain for owner in item["owners"]}),
        runs_a_day=_runs_a_day(certain, production),
        hidden=answer.get("hiddenCount", 0),
        unseen=(answer.get("frontier") or {}).get("sentence", ""),
    )


def _is_adapted(item: JsonObject, loss: Loss, compared: ChangeComparison) -> bool:
    """Whether the change makes a node anew, without what goes: by the first dataset on the way, whose columns the side
    after the change tells. What is downstream of it is made of it."""
    first = next((step for step in item["path"][1:] if not step.startswith("job:")), "")
    if first.startswith("exposure:"):
        return False
    graph = compared.after.graph

    def dataset(node: str) -> str:
        return node_id(NodeKind.DATASET, compared.after.column_of(node).dataset)

    target = dataset(first)
    flows = [flow for flow in graph.flows if dataset(flow.target) == target]
    is_made = any(edge[1] == target for edge in graph.edges)
    reads = {flow.origin if loss.column else dataset(flow.origin) for flow in flows if flow.target in (first, target)}
    return is_made and bool(flows) and loss.node not in reads


def _runs_a_day(certain: Iterable[JsonObject], production: Production) -> dict[str, float]:
    jobs = [str(item["nodeId"]) for item in certain if item["type"] == "JOB"][:MOST_JOBS]
    found: dict[str, Any] = {}
    for job in jobs:
        node = node_of(job)
        found[job] = production.runs_a_day(Name(node.namespace, node.name))
    return {job: runs for job, runs in found.items() if runs is not None}
