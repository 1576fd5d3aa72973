/** What differs between two times of a graph, in one picture: what is gone is drawn, too, and each node is marked. */

import { type Edge, type Graph, withEdges } from "./graph";
import type { Mark } from "./marks";

export interface DiffNode {
  nodeId: string;
  type: "DATASET" | "JOB";
  namespace: string;
  name: string;
  columns?: {
    added: { field: string; type: string | null }[];
    removed: { field: string; type: string | null }[];
    retyped: { field: string; before: string; after: string; change: string }[];
  };
}

export interface Difference {
  from: string;
  to: string;
  nodes: { added: DiffNode[]; removed: DiffNode[]; changed: DiffNode[] };
  edges: { added: { origin: string; destination: string }[]; removed: { origin: string; destination: string }[] };
  truncated?: boolean;
}

export function withDifference(
  graph: Graph,
  shown: ReadonlySet<string>,
  { nodes, edges }: Difference,
): { graph: Graph; shown: ReadonlySet<string> } {
  const known = new Map(graph.nodes);
  for (const { nodeId, type, namespace, name } of nodes.removed) {
    if (!known.has(nodeId))
      known.set(nodeId, { id: nodeId, kind: type === "JOB" ? "job" : "dataset", namespace, name });
  }
  const gone: Edge[] = edges.removed.map(({ origin, destination }) => ({ from: origin, to: destination }));
  return {
    graph: withEdges({ ...graph, nodes: known }, gone),
    shown: new Set([...shown, ...nodes.removed.map(({ nodeId }) => nodeId)]),
  };
}

export function marksOfDifference({ nodes }: Difference): Map<string, Mark[]> {
  return new Map([
    ...nodes.added.map(({ nodeId }): [string, Mark[]] => [nodeId, [{ tone: "good", text: "added" }]]),
    ...nodes.removed.map(({ nodeId }): [string, Mark[]] => [nodeId, [{ tone: "bad", text: "removed" }]]),
    ...nodes.changed.map(({ nodeId }): [string, Mark[]] => [nodeId, [{ tone: "warn", text: "columns changed" }]]),
  ]);
}
