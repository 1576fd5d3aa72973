/**
 * How a node downstream uses what changes, and how sure that is: what certainly breaks is told apart from what may
 * break.
 */

import type { Broken } from "../api/alerts";
import type { Impact, ImpactItem } from "../api/types";
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

/** What the lineage of datasets alone tells is not certain: a job may not use what changes. */
export function sureness({ by, possible }: Pick<Risk, "by" | "possible">): string {
  if (possible) return "may break";
  return by === "column" ? "breaks" : "may break, by table lineage";
}

/** Whether what is at risk is known by the lineage of datasets alone, as of a change of a whole table. */
export function isByTable({ owners }: Pick<Impact, "owners">): boolean {
  return owners.some(({ items }) => items.some(({ by, possible }) => by === "dataset" && !possible));
}

/** Example: `2 nodes for certain, 1 node possibly`. */
export function nodesText(impact: Impact): string {
  const { totalCount, possibleCount = 0 } = impact;
  const sure = `${counted(totalCount - possibleCount, "node")} ${isByTable(impact) ? "by table lineage" : "for certain"}`;
  return possibleCount ? `${sure}, ${counted(possibleCount, "node")} possibly` : sure;
}

/** Example: `It breaks 2 columns, 1 job, and may break 1 column`. */
export function brokenText({
  columns,
  datasets,
  jobs,
  by,
  possible = { columns: 0, datasets: 0, jobs: 0 },
}: Broken): string {
  const certain = countsText(columns - possible.columns, datasets - possible.datasets, jobs - possible.jobs);
  const open = countsText(possible.columns, possible.datasets, possible.jobs);
  if (!open && certain && by === "dataset") return `It may break ${certain}, by table lineage`;
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
