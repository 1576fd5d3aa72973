/** What the address of a lineage view says. */

import type { Query } from "../../api/request";
import type { Filter } from "../../graph/filter";
import type { Grouping } from "../../graph/groups";
import { columnIdOf, splitNodeId } from "../../text/names";
import type { Wish } from "./useGraph";
import type { PickedColumn } from "./useTrace";

export interface LineageParameters {
  wish: Wish;
  picked: PickedColumn | null;
  target: PickedColumn | null;
  grouping: Grouping;
  /** The earlier time with which the picture is compared. */
  since: string;
  isAlone: boolean;
  withIndirect: boolean;
  asTable: boolean;
  filter: Filter;
}

/** A phone, whose window has place for hardly a node, begins with the table. */
export function lineageParameters(given: URLSearchParams, isPhone = false): LineageParameters {
  const text = (name: string): string => given.get(name) ?? "";
  const nodeId = text("nodeId");
  return {
    wish: {
      nodeId,
      up: depthOf(given.get("up")),
      down: depthOf(given.get("down")),
      asOf: text("asOf"),
      rollup: text("rollup"),
      view: text("view"),
    },
    picked: columnOf(given.get("table") ?? nodeId, given.get("column")),
    target: columnOf(text("toTable"), given.get("toColumn")),
    grouping: (["namespace", "application", "owner"] as const).find((known) => known === given.get("group")) ?? "none",
    since: text("since"),
    isAlone: given.get("alone") === "1",
    withIndirect: given.get("indirect") === "1",
    asTable: (given.get("as") ?? (isPhone ? "table" : "graph")) === "table",
    filter: {
      text: text("q"),
      kind: text("kind"),
      state: text("state"),
      tag: text("tag"),
      owner: text("owner"),
      fresh: text("fresh"),
    },
  };
}

/** How the API is asked to write the graph: the path of the picked column, else as many hops as the longer side has. */
export function exportQuery({ wish, picked }: LineageParameters, { up, down }: { up: number; down: number }): Query {
  const { nodeId, asOf, rollup, view } = wish;
  if (picked) return { nodeId: columnIdOf(picked.namespace, picked.name, picked.field), direction: "both", asOf };
  const direction = !down ? "upstream" : !up ? "downstream" : "both";
  return { nodeId, depth: Math.max(up, down), direction, asOf, rollup, view };
}

function columnOf(dataset: string, field: string | null): PickedColumn | null {
  if (!dataset || field === null) return null;
  const { namespace, name } = splitNodeId(dataset);
  return { dataset, field, namespace, name };
}

function depthOf(text: string | null): number | null {
  const depth = Number(text);
  return text !== null && Number.isInteger(depth) && depth >= 0 && depth <= 99 ? depth : null;
}
