/** The runs that no other run started, newest first: the state is that of the whole, with its parts. */

import { get, pathOf, type Query, request } from "./request";
import type { Name, Page, RunState } from "./types";

export interface BoardRun {
  id: string;
  job: Name;
  /** What the author of its job calls it, if that is another name. */
  displayName?: string;
  state: RunState;
  ownState: RunState;
  startedAt: string | null;
  endedAt: string | null;
  durationMs: number | null;
  producer: string | null;
  message: string | null;
  noContactSince?: string;
  failedChildren: { runId: string; job: Name }[];
  /** The run that it stands for, which never reported. */
  parent: { runId: string; job: Name } | null;
}

export interface BoardRuns extends Page {
  runs: BoardRun[];
}

export const callGood = (run: string, isGood: boolean): Promise<unknown> =>
  request(isGood ? "PUT" : "DELETE", pathOf("jobs", "runs", run, "good"), {});

export function boardRuns(query: Query, signal?: AbortSignal): Promise<BoardRuns> {
  return get<BoardRuns>("runs", query, signal);
}
