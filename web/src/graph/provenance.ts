/** By which jobs one dataset is made of another. */

import { type Graph, type GraphNode, neighbours } from "./graph";

export function jobsOf(graph: Graph, from: string, to: string): GraphNode[] {
  const writers = new Set(neighbours(graph, to, "up"));
  return neighbours(graph, from, "down")
    .filter((id) => writers.has(id))
    .flatMap((id) => graph.nodes.get(id) ?? []);
}
