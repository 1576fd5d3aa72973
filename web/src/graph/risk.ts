/**
 * How a node downstream uses what changes, and how sure that is: what certainly breaks is told apart from what may
 * break.
 */

import type { ImpactItem } from "../api/types";

type Risk = Pick<ImpactItem, "type" | "by" | "indirect" | "possible">;

export function isPossible({ possible = false }: Pick<Risk, "possible">): boolean {
  return possible;
}

export function wayOf({ type, by, indirect, possible }: Risk): string {
  if (by === "unknown")
    return type === "DATASET_FIELD" ? "may break: the producer does not know its origin" : "may use it";
  if (by === "dataset") return possible === false ? "by table lineage" : "may use it";
  return indirect ? "by a filter, join or grouping" : "by its values";
}

/** Table lineage on its own is not certain: a job may not use what changes. */
export function sureness({ by, possible }: Pick<Risk, "by" | "possible">): string {
  if (possible) return "may break";
  return by === "column" ? "breaks" : "may break, by table lineage";
}
