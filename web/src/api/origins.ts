/** Columns of a dataset of which nobody knows what they are made of, and why. */

import { unknownOrigins } from "../graph/trace";
import { get } from "./request";
import type { ColumnLineage, DisplayNames } from "./types";
import { useLookup } from "./useLookup";

const NONE: ReadonlyMap<string, string> = new Map();

export interface Origins {
  /** The reason, by column. */
  unknown: ReadonlyMap<string, string>;
  /** Whether no job is known to write the dataset: it comes from outside. */
  isFromOutside: boolean;
  /** Of the tables that it is made of. */
  displayNames: DisplayNames;
}

const ask = (nodeId: string, asOf: string, signal?: AbortSignal): Promise<ColumnLineage> =>
  get<ColumnLineage>("column-lineage", { nodeId, direction: "upstream", depth: 1, asOf }, signal);

/** The reasons of some datasets, by dataset and column. */
export async function originsOf(nodeIds: readonly string[], asOf: string): Promise<Map<string, Map<string, string>>> {
  return unknownOrigins(await Promise.all(nodeIds.map((nodeId) => ask(nodeId, asOf))));
}

/** Until the answer is there, and where there is none, nothing is marked. */
export function useUnknownOrigins(nodeId: string, asOf = ""): Origins {
  const lookup = useLookup(JSON.stringify(["origins", nodeId, asOf]), (signal) => ask(nodeId, asOf, signal));
  if (lookup.state !== "done") return { unknown: NONE, isFromOutside: false, displayNames: {} };
  const { unseen = [] } = lookup.value.frontier ?? {};
  return {
    unknown: unknownOrigins([lookup.value]).get(nodeId) ?? NONE,
    displayNames: lookup.value.displayNames ?? {},
    isFromOutside: unseen.some(({ kind }) => kind === "WRITERS_THAT_DO_NOT_REPORT"),
  };
}
