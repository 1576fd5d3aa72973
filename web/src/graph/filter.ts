/** Which nodes of a picture match what the reader looks for; the others fade. */

import type { GraphNode } from "./graph";
import { ownersOf } from "./graph";
import { freshness, stateOf } from "./marks";

export interface Filter {
  text: string;
  kind: string;
  state: string;
  tag: string;
  owner: string;
  fresh: string;
}

const DAY_MS = 86_400_000;
/** How fresh a node is: when the next run is due, or how long ago was the last write or run. */
export const FRESHNESS = new Map<string, (node: GraphNode) => boolean>([
  ["late", ({ due }) => due?.state === "LATE" || due?.state === "WAITING"],
  ["due within a day", ({ due }) => Boolean(due?.dueAt)],
  ["silent for a day", (node) => isSilent(node, DAY_MS)],
  ["silent for a week", (node) => isSilent(node, 7 * DAY_MS)],
]);

export const NO_FILTER: Filter = { text: "", kind: "", state: "", tag: "", owner: "", fresh: "" };

export function matches(node: GraphNode, { text, kind, state, tag, owner, fresh }: Filter): boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const names = [
    node.namespace,
    node.name,
    node.displayName ?? "",
    ...(node.dataset?.fields.map(({ name }) => name) ?? []),
  ]
    .join("\n")
    .toLowerCase();
  return (
    words.every((word) => names.includes(word)) &&
    (!kind || node.kind === kind) &&
    (!state || stateOf(node) === state) &&
    (!tag || tagsOf(node).includes(tag)) &&
    (!owner || ownersOf(node).includes(owner)) &&
    (FRESHNESS.get(fresh)?.(node) ?? true)
  );
}

function isSilent(node: GraphNode, most: number): boolean {
  const last = freshness(node);
  return last !== null && Date.parse(last) < Date.now() - most;
}

export function tagsOf(node: GraphNode): string[] {
  const { tags = [], fields = [] } = node.dataset ?? {};
  return [...new Set([...tags, ...fields.flatMap((field) => field.tags)])];
}
