/** Rows and bytes that a run wrote, by the statistics of its outputs. */

import type { Facets, Run } from "../../api/types";

export const rowsOf = (run: Run): number | null => summed(run, "rowCount");
export const bytesOf = (run: Run): number | null => summed(run, "size");

function summed({ outputDatasetVersions }: Run, member: string): number | null {
  const amounts = outputDatasetVersions
    .map(({ facets }) => statistics(facets)[member])
    .filter((amount) => typeof amount === "number");
  return amounts.length ? amounts.reduce((sum, amount) => sum + amount, 0) : null;
}

function statistics(facets: Facets): Record<string, unknown> {
  return facets.outputStatistics ?? {};
}

/** The whole error message of a run, by its facet; the Spark listener has a facet of its own. */
export function errorOf({ facets }: Run): { message: string; stack: string | null } | null {
  const { message, stackTrace } = facets.errorMessage ?? facets["spark.exception"] ?? {};
  return typeof message === "string" ? { message, stack: typeof stackTrace === "string" ? stackTrace : null } : null;
}
