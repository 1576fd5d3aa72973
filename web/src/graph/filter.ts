/** Which nodes of a picture match what the reader looks for; the others fade. */

import type { GraphNode } from "./graph";
import { ownersOf } from "./graph";
import { stateOf } from "./marks";

export interface Filter {
  text: string;
  kind: string;
  state: string;
  tag: string;
  owner: string;
}

export const NO_FILTER: Filter = { text: "", kind: "", state: "", tag: "", owner: "" };

export function matches(node: GraphNode, { text, kind, state, tag, owner }: Filter): boolean {
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
    (!owner || ownersOf(node).includes(owner))
  );
}

export function tagsOf(node: GraphNode): string[] {
  const { tags = [], fields = [] } = node.dataset ?? {};
  return [...new Set([...tags, ...fields.flatMap((field) => field.tags)])];
}
