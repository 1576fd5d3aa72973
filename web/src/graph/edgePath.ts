/** The nodes on the paths of edges from some nodes downstream to the centre. */

import { type Graph, neighbours } from "./graph";

/** In a graph of only the upstream, every step downstream leads to the centre. */
export function pathTo(graph: Graph, centre: string, from: Iterable<string>): Set<string> {
  const path = new Set([centre]);
  const queue = [...from].filter((id) => graph.nodes.has(id));
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    if (path.has(id)) continue;
    path.add(id);
    queue.push(...neighbours(graph, id, "down"));
  }
  return path;
}
