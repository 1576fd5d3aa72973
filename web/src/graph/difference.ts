/** What differs between two times of a graph, in one picture: what is gone is drawn, too, and each node is marked. */

import type { CalledName, Frontier } from "../api/types";
import { counted } from "../text/amounts";
import { type Edge, type Graph, withEdges } from "./graph";
import type { Mark } from "./marks";
import type { FieldChange } from "./schema";

export interface DiffNode extends CalledName {
  nodeId: string;
  type: "DATASET" | "JOB";
  /** Of an added node of a graph: whether no event had named it before. */
  isNew?: boolean;
  dropped?: boolean;
  deleted?: boolean;
  renamedFrom?: { namespace: string; name: string };
  code?: { before: Record<string, string>; after: Record<string, string> };
  columns?: {
    added: { field: string; type: string | null }[];
    removed: { field: string; type: string | null }[];
    retyped: { field: string; before: string; after: string; change: string }[];
    renamed?: { before: string; after: string; evidence: string }[];
  };
}

export interface Difference {
  from: string;
  to: string;
  nodes: { added: DiffNode[]; removed: DiffNode[]; changed: DiffNode[]; changedBack?: DiffNode[] };
  edges: { added: { origin: string; destination: string }[]; removed: { origin: string; destination: string }[] };
  frontier?: Frontier;
  truncated?: boolean;
}

/** What changed of a node: its columns, its name, and the code of a job. */
export function changesOf({ columns, renamedFrom, code }: DiffNode): FieldChange[] {
  const retyped = (field: string, before: string, after: string): FieldChange => ({
    kind: "retyped",
    field,
    before,
    after,
  });
  return [
    ...(columns?.retyped ?? []).map(({ field, before, after, change }) =>
      retyped(field, before, `${after}, ${change}`),
    ),
    ...(columns?.removed ?? []).map(({ field, type }) => ({
      kind: "removed" as const,
      field,
      before: type,
      after: null,
    })),
    ...(columns?.added ?? []).map(({ field, type }) => ({ kind: "added" as const, field, before: null, after: type })),
    ...(columns?.renamed ?? []).map(({ before, after }) => ({
      kind: "retyped" as const,
      field: `${before} seems renamed to ${after}`,
      before: null,
      after: null,
    })),
    ...(renamedFrom ? [retyped("name", renamedFrom.name, "this")] : []),
    ...Object.keys({ ...code?.before, ...code?.after }).map((member) =>
      retyped(member, code?.before[member] ?? "none", code?.after[member] ?? "none"),
    ),
  ];
}

/** What differs, in numbers. */
export function summaryOf({ nodes, edges }: Difference): string {
  const changed = (type: DiffNode["type"]): number => nodes.changed.filter((node) => node.type === type).length;
  const parts = [
    [changed("DATASET"), "dataset changed", "datasets changed"],
    [changed("JOB"), "job changed", "jobs changed"],
    [nodes.added.length, "node added", "nodes added"],
    [nodes.removed.length, "node removed", "nodes removed"],
    [edges.added.length, "edge added", "edges added"],
    [edges.removed.length, "edge removed", "edges removed"],
  ] as const;
  const said = parts.filter(([amount]) => amount > 0).map(([amount, one, many]) => counted(amount, one, many));
  return said.length ? said.join(", ") : "nothing changed";
}

export function withDifference(
  graph: Graph,
  shown: ReadonlySet<string>,
  { nodes, edges }: Difference,
): { graph: Graph; shown: ReadonlySet<string> } {
  const known = new Map(graph.nodes);
  for (const { nodeId, type, namespace, name, displayName } of nodes.removed) {
    if (!known.has(nodeId))
      known.set(nodeId, { id: nodeId, kind: type === "JOB" ? "job" : "dataset", namespace, name, displayName });
  }
  const gone: Edge[] = edges.removed.map(({ origin, destination }) => ({ from: origin, to: destination }));
  return {
    graph: withEdges({ ...graph, nodes: known }, gone),
    shown: new Set([...shown, ...nodes.removed.map(({ nodeId }) => nodeId)]),
  };
}

function whatChanged({ columns, renamedFrom }: DiffNode): string {
  return columns ? "columns changed" : renamedFrom ? "renamed" : "code changed";
}

export function marksOfDifference({ nodes }: Difference): Map<string, Mark[]> {
  return new Map([
    ...nodes.added.map(({ nodeId }): [string, Mark[]] => [nodeId, [{ tone: "good", text: "added" }]]),
    ...nodes.removed.map(({ nodeId, dropped, deleted }): [string, Mark[]] => [
      nodeId,
      [{ tone: "bad", text: dropped ? "dropped" : deleted ? "deleted" : "removed" }],
    ]),
    ...nodes.changed.map((node): [string, Mark[]] => [
      node.nodeId,
      [{ tone: "warn", text: whatChanged(node), changes: changesOf(node) }],
    ]),
  ]);
}
