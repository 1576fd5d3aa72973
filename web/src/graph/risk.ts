/**
 * How a node downstream uses what changes, and how sure that is: what certainly breaks is told apart from what may
 * break.
 */

import type { Broken } from "../api/alerts";
import type { ImpactItem } from "../api/types";
import { counted } from "../text/amounts";

type Risk = Pick<ImpactItem, "type" | "by" | "indirect" | "possible">;

export function isPossible({ possible = false }: Pick<Risk, "possible">): boolean {
  return possible;
}

export function wayOf({ type, by, indirect, possible }: Risk): string {
  if (by === "unknown")
    return type === "DATASET_FIELD" ? "may break: the producer does not know its origin" : "may use it";
  if (by === "dataset") return possible === false ? "by the lineage of datasets" : "may use it";
  return indirect ? "by a filter, join or grouping" : "by its values";
}

/** Example: `It breaks 2 columns, 1 job, and may break 1 column`. */
export function brokenText({
  columns,
  datasets,
  jobs,
  possible = { columns: 0, datasets: 0, jobs: 0 },
}: Broken): string {
  const certain = countsText(columns - possible.columns, datasets - possible.datasets, jobs - possible.jobs);
  const open = countsText(possible.columns, possible.datasets, possible.jobs);
  if (!open) return `It breaks ${certain || "nothing that is known"}`;
  return certain ? `It breaks ${certain}, and may break ${open}` : `It may break ${open}`;
}

function countsText(columns: number, datasets: number, jobs: number): string {
  const counts = [
    [columns, "column"],
    [datasets, "dataset"],
    [jobs, "job"],
  ] as const;
  return counts
    .filter(([count]) => count)
    .map(([count, noun]) => counted(count, noun))
    .join(", ");
}
