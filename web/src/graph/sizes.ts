/** The size of a node in the picture, known before it is drawn: the layout needs it, and nothing is measured. */

import type { GraphNode } from "./graph";

export const WIDTH = 232;
export const ROW = 26;
export const MOST_ROWS = 8;
export const MOST_TRACED = 6;
const HEAD = { dataset: 66, job: 58, group: 58 };
const SEARCH = 38;
const PADDING = 8;

export interface Opening {
  /** Whether the columns of a dataset are listed. */
  isOpen: boolean;
  /** The columns on the way of the picked column. */
  traced: readonly string[];
}

export const CLOSED: Opening = { isOpen: false, traced: [] };

export function headHeight(node: GraphNode): number {
  return HEAD[node.kind];
}

export function hasSearch(node: GraphNode): boolean {
  return (node.dataset?.fields.length ?? 0) > MOST_ROWS;
}

export function heightOf(node: GraphNode, { isOpen, traced }: Opening): number {
  const tracedRows = Math.min(traced.length, MOST_TRACED) + (traced.length > MOST_TRACED ? 1 : 0);
  const listed = isOpen
    ? Math.min(node.dataset?.fields.length ?? 0, MOST_ROWS) * ROW + (hasSearch(node) ? SEARCH : 0) + PADDING
    : 0;
  return HEAD[node.kind] + (tracedRows ? tracedRows * ROW + PADDING : 0) + listed;
}

/** Where the edge of a traced column meets its node, from the top. */
export function tracedTop(node: GraphNode, index: number): number {
  return HEAD[node.kind] + PADDING / 2 + (Math.min(index, MOST_TRACED) + 0.5) * ROW;
}
/** How far apart the labels of edges are that begin at one column. */
export const SLOT = 118;
