/** Columns of a dataset of which nobody knows what they are made of, and why. */

import { unknownOrigins } from "../graph/trace";
import { get } from "./request";
import type { ColumnLineage } from "./types";
import { useLookup } from "./useLookup";

const NONE: ReadonlyMap<string, string> = new Map();

export interface Origins {
  /** The reason, by column. */
  unknown: ReadonlyMap<string, string>;
  /** Whether no job is known to write the dataset: it comes from outside. */
  isFromOutside: boolean;
}

/** Until the answer is there, and where there is none, nothing is marked. */
export function useUnknownOrigins(nodeId: string, asOf = ""): Origins {
  const lookup = useLookup(JSON.stringify(["origins", nodeId, asOf]), (signal) =>
    get<ColumnLineage>("column-lineage", { nodeId, direction: "upstream", depth: 1, asOf }, signal),
  );
  if (lookup.state !== "done") return { unknown: NONE, isFromOutside: false };
  const { unseen = [] } = lookup.value.frontier ?? {};
  return {
    unknown: unknownOrigins([lookup.value]).get(nodeId) ?? NONE,
    isFromOutside: unseen.some(({ kind }) => kind === "WRITERS_THAT_DO_NOT_REPORT"),
  };
}
