/** What changed between two schemas. */

import type { Field } from "../api/types";

export interface FieldChange {
  kind: "added" | "removed" | "retyped";
  field: string;
  before: string | null;
  after: string | null;
}

export function changesBetween(before: readonly Field[], after: readonly Field[]): FieldChange[] {
  const earlier = new Map(before.map(({ name, type }) => [name, type]));
  const later = new Map(after.map(({ name, type }) => [name, type]));
  const added = [...later]
    .filter(([name]) => !earlier.has(name))
    .map(([field, type]) => change("added", field, null, type));
  const removed = [...earlier]
    .filter(([name]) => !later.has(name))
    .map(([field, type]) => change("removed", field, type, null));
  const retyped = [...later]
    .filter(([name, type]) => earlier.has(name) && earlier.get(name) !== type)
    .map(([field, type]) => change("retyped", field, earlier.get(field) ?? null, type));
  return [...added, ...removed, ...retyped];
}

function change(kind: FieldChange["kind"], field: string, before: string | null, after: string | null): FieldChange {
  return { kind, field, before, after };
}
