/** What a search found. */

import { get } from "./request";
import type { CalledName, Name } from "./types";

export interface FoundNode extends CalledName {
  type: "DATASET" | "JOB";
  nodeId: string;
  /** Where the text was found, if not in the name: a tag, a description, the SQL text, the id of a query. */
  matchedIn?: string[];
  /** The run of the query that the text is the id of. */
  runId?: string;
}

export type Result =
  | FoundNode
  | ({ type: "COLUMN"; nodeId: string; dataset: string; displayName?: string } & Name)
  | { type: "OWNER" | "TAG"; name: string; nodes: FoundNode[] }
  | { type: "RUN"; name: string };

export interface Found {
  results: Result[];
  /** The words that were meant, if a letter was mistyped. */
  corrected?: string;
  truncated?: boolean;
}

/** The most results of a group that the API gives. */
export const MOST = 200;

/** The datasets and jobs with an owner or a tag. */
export async function labelled(
  type: "OWNER" | "TAG",
  name: string,
  signal?: AbortSignal,
): Promise<{ nodes: FoundNode[]; isCut: boolean }> {
  const { results } = await get<Found>("search/groups", { q: name, limit: MOST }, signal);
  const nodes = results.flatMap((result) =>
    result.type === type && result.name === name && "nodes" in result ? result.nodes : [],
  );
  return { nodes, isCut: nodes.length >= MOST };
}
