/** The size of a node in the picture, known before it is drawn: the layout needs it, and nothing is measured. */

import type { Field } from "../api/types";
import type { GraphNode } from "./graph";

export const WIDTH = 232;
export const ROW = 26;
export const MOST_ROWS = 8;
export const MOST_TRACED = 6;
const HEAD = { dataset: 66, job: 58, exposure: 58, group: 58 };
const SEARCH = 38;
const PADDING = 8;

export interface Opening {
  /** Whether the columns of a dataset are listed. */
  isOpen: boolean;
  /** The columns on the path of the picked column. */
  traced: readonly string[];
}

export const CLOSED: Opening = { isOpen: false, traced: [] };

export function headHeight(node: GraphNode): number {
  return HEAD[node.kind];
}

/** The columns that an opened card lists: those that are drawn as lit already are not drawn twice. */
export function listedFields(node: GraphNode, traced: readonly string[]): readonly Field[] {
  const drawn = new Set(traced.slice(0, MOST_TRACED));
  return (node.dataset?.fields ?? []).filter(({ name }) => !drawn.has(name));
}

export function hasSearch(fields: readonly Field[]): boolean {
  return fields.length > MOST_ROWS;
}

export function heightOf(node: GraphNode, { isOpen, traced }: Opening): number {
  const tracedRows = Math.min(traced.length, MOST_TRACED) + (traced.length > MOST_TRACED ? 1 : 0);
  const fields = isOpen ? listedFields(node, traced) : [];
  const listed = fields.length
    ? Math.min(fields.length, MOST_ROWS) * ROW + (hasSearch(fields) ? SEARCH : 0) + PADDING
    : 0;
  return HEAD[node.kind] + (tracedRows ? tracedRows * ROW + PADDING : 0) + listed;
}

/** Where the edge of a traced column meets its node, from the top. */
export function tracedTop(node: GraphNode, index: number): number {
  return HEAD[node.kind] + PADDING / 2 + (Math.min(index, MOST_TRACED) + 0.5) * ROW;
}
/** How far apart the labels of edges are that begin at one column, and how many there are at most. */
export const SLOT = 118;
export const MOST_LABELS = 2;
/** The gap between two layers in which these labels have room. */
export const LABEL_GAP = 24 + MOST_LABELS * SLOT;
