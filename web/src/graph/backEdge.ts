/**
 * Edges that lead back, as in a cycle: drawn around the nodes between their ends, since behind them nobody sees where
 * they go.
 */

import type { Edge } from "./graph";
import type { Places, Sized } from "./layers";

/** How far a way back keeps from nodes, and from the way back beside it. */
const GAP = 28;
const BESIDE = 14;
const BEND = 16;

export const edgeKey = ({ from, to }: Edge): string => `${from}\n${to}`;

/** For each edge that ends left of its beginning: the height at which its way back is clear of all nodes between. */
export function lanesOf(nodes: readonly Sized[], places: Places, edges: readonly Edge[]): Map<string, number> {
  const boxes = new Map(
    nodes.flatMap(({ id, width, height }) =>
      places.has(id) ? [[id, { ...places.get(id)!, width, height }] as const] : [],
    ),
  );
  const lanes = new Map<string, number>();
  for (const edge of edges) {
    const [from, to] = [boxes.get(edge.from), boxes.get(edge.to)];
    if (!from || !to || to.x >= from.x + from.width || lanes.has(edgeKey(edge))) continue;
    const between = [...boxes.values()].filter(({ x, width }) => x + width >= to.x && x <= from.x + from.width);
    lanes.set(edgeKey(edge), Math.max(...between.map(({ y, height }) => y + height)) + GAP + BESIDE * lanes.size);
  }
  return lanes;
}

/** A path that leaves to the right, goes back at the height of its lane, and arrives from the left. */
export function pathBack(x1: number, y1: number, x2: number, y2: number, lane: number): string {
  const [right, left] = [x1 + BEND, x2 - BEND];
  return [
    `M${x1} ${y1}Q${right} ${y1} ${right} ${y1 + BEND}L${right} ${lane - BEND}Q${right} ${lane} ${right - BEND} ${lane}`,
    `L${left + BEND} ${lane}Q${left} ${lane} ${left} ${lane - BEND}L${left} ${y2 + BEND}Q${left} ${y2} ${x2} ${y2}`,
  ].join("");
}
