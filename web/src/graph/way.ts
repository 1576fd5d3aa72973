/** The nodes on the way from some nodes downstream to the centre. */

import { type Graph, neighbours } from "./graph";

/** In a graph of the upstream alone, every step downstream leads to the centre. */
export function wayTo(graph: Graph, centre: string, from: Iterable<string>): Set<string> {
  const way = new Set([centre]);
  const queue = [...from].filter((id) => graph.nodes.has(id));
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    if (way.has(id)) continue;
    way.add(id);
    queue.push(...neighbours(graph, id, "down"));
  }
  return way;
}
