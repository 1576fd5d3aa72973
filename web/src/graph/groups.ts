/**
 * Groups: the nodes of a namespace, an application or an owner as one node, with the number of connections between
 * groups.
 */

import { grouped } from "../text/grouped";
import { type Edge, edgesOf, type Graph, type GraphNode, ownersOf } from "./graph";

export type Grouping = "none" | "namespace" | "application" | "owner";

export interface Picture {
  nodes: readonly GraphNode[];
  edges: readonly (Edge & { count: number })[];
}

export function groupOf(node: GraphNode, grouping: Grouping): string | null {
  if (grouping === "namespace") return node.namespace;
  if (grouping === "owner") return ownersOf(node)[0] ?? null;
  if (grouping === "application" && node.kind === "job") return node.job?.parentJobName ?? null;
  return null;
}

export function groupId(grouping: Grouping, name: string): string {
  return `group:${grouping}:${name}`;
}

/** The picture of the shown nodes. A group of one node, and a group that the reader opened, stay their nodes. */
export function picture(
  graph: Graph,
  shown: ReadonlySet<string>,
  grouping: Grouping,
  opened: ReadonlySet<string>,
): Picture {
  const nodes = [...shown].flatMap((id) => graph.nodes.get(id) ?? []);
  const members = grouped(nodes, (node) => groupOf(node, grouping));
  const standsFor = new Map<string, GraphNode>();
  for (const node of nodes) {
    const name = groupOf(node, grouping);
    const size = members.get(name)?.length ?? 0;
    const isGrouped = name !== null && size > 1 && !opened.has(groupId(grouping, name));
    standsFor.set(
      node.id,
      isGrouped ? { id: groupId(grouping, name), kind: "group", namespace: "", name, size } : node,
    );
  }
  const edges = new Map<string, Edge & { count: number }>();
  for (const edge of edgesOf(graph, shown)) {
    const from = standsFor.get(edge.from)!.id;
    const to = standsFor.get(edge.to)!.id;
    if (from === to) continue;
    const key = `${from}\n${to}`;
    edges.set(key, { from, to, count: (edges.get(key)?.count ?? 0) + 1 });
  }
  return {
    nodes: [...new Map([...standsFor.values()].map((node) => [node.id, node])).values()],
    edges: [...edges.values()],
  };
}
