/**
 * Which nodes of a graph are shown: those within so many hops of the centre, what the reader has opened beyond, and of
 * a node with very many neighbours the first of them.
 */

import { nodeIdOf } from "../text/names";
import { type Graph, type GraphNode, neighbours, type Side } from "./graph";

/** At most so many neighbours of one side of a node are shown until the reader asks for more. */
export const FAN = 40;
/** From this number of nodes on, a picture is drawn from afar, and nodes out of sight are not in the document. */
export const MANY = 250;
/** Without a wish of the reader, as many hops are shown as keep the picture below this number of nodes. */
export const COMFORTABLE = 120;
export const MAX_AUTO_DEPTH = 3;
/** From a dataset over a job to the next dataset: a hop of the API is two edges. */
const EDGES_A_HOP = 2;

export interface Extent {
  up: number;
  down: number;
  /** How many neighbours of a side are shown where the reader chose: 0 for a collapsed side. */
  chosen: ReadonlyMap<string, number>;
  /** Whether the answer was cut: then a job may have datasets that only its own document names. */
  isCut?: boolean;
}

export interface Visible {
  ids: ReadonlySet<string>;
  /** Neighbours that are not shown, by side. */
  hidden: ReadonlyMap<string, number>;
}

export function sideKey(id: string, side: Side): string {
  return `${side} ${id}`;
}

export function visible(graph: Graph, centre: string, extent: Extent): Visible {
  const ids = new Set<string>([centre]);
  for (const side of ["up", "down"] as const) {
    for (const id of walk(graph, centre, side, extent)) ids.add(id);
  }
  const hidden = new Map<string, number>();
  for (const id of ids) {
    for (const side of ["up", "down"] as const) {
      const all = neighbours(graph, id, side);
      const named = all.length || !extent.isCut ? all : namedBy(graph.nodes.get(id), side);
      const count = named.filter((other) => !ids.has(other)).length;
      if (count) hidden.set(sideKey(id, side), count);
    }
  }
  return { ids, hidden };
}

/** The datasets of a job as it names them. In a whole answer, those that it names in vain have been deleted. */
function namedBy(node: GraphNode | undefined, side: Side): string[] {
  const datasets = side === "up" ? node?.job?.inputs : node?.job?.outputs;
  return (datasets ?? []).map(({ namespace, name }) => nodeIdOf("dataset", namespace, name));
}

/** The most hops, in both directions, whose picture is comfortable. */
export function comfortableDepth(graph: Graph, centre: string): number {
  for (let depth = MAX_AUTO_DEPTH; depth > 1; depth--) {
    if (visible(graph, centre, { up: depth, down: depth, chosen: new Map() }).ids.size <= COMFORTABLE) return depth;
  }
  return 1;
}

/**
 * A walk in one direction. A side that the reader opened beyond the depth goes one edge further, as often as opened.
 */
function walk(graph: Graph, centre: string, side: Side, extent: Extent): Set<string> {
  const limit = EDGES_A_HOP * (side === "up" ? extent.up : extent.down);
  const distances = new Map([[centre, 0]]);
  const queue = [centre];
  for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
    const distance = distances.get(id) ?? 0;
    const most = extent.chosen.get(sideKey(id, side)) ?? (distance < limit ? FAN : 0);
    for (const next of neighbours(graph, id, side).slice(0, most)) {
      if (distances.has(next)) continue;
      distances.set(next, distance + 1);
      queue.push(next);
    }
  }
  return new Set(distances.keys());
}
