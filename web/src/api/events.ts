/** Events as they were posted, newest first. */

import { get, pathOf } from "./request";
import type { Name, Page } from "./types";

export const KINDS = ["RunEvent", "JobEvent", "DatasetEvent"] as const;

export interface PostedEvent {
  eventType?: string;
  eventTime: string;
  producer: string;
  /** Of a RunEvent. */
  run?: { runId: string };
  /** Of a RunEvent or JobEvent. */
  job?: Name;
  /** Of a DatasetEvent. */
  dataset?: Name;
  [member: string]: unknown;
}

export interface PostedEvents extends Page {
  events: PostedEvent[];
}

export function eventsOfRun(run: string, cursor: string, signal?: AbortSignal): Promise<PostedEvents> {
  return get<PostedEvents>(`${pathOf("jobs", "runs", run)}/events`, { cursor }, signal);
}

/** The events of some kinds from a time on; of all times if `after` is empty. */
export function eventsSince(
  after: string,
  eventKinds: readonly string[],
  cursor: string,
  signal?: AbortSignal,
): Promise<PostedEvents> {
  return get<PostedEvents>("events/lineage", { after, eventKinds, cursor, limit: 50 }, signal);
}
