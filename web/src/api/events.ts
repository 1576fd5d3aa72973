/** The events of a run, as they were posted, newest first. */

import { get, pathOf } from "./request";
import type { Page } from "./types";

export interface PostedEvent {
  eventType?: string;
  eventTime: string;
  producer: string;
  [member: string]: unknown;
}

export interface PostedEvents extends Page {
  events: PostedEvent[];
}

export function eventsOfRun(run: string, cursor: string, signal?: AbortSignal): Promise<PostedEvents> {
  return get<PostedEvents>(`${pathOf("jobs", "runs", run)}/events`, { cursor }, signal);
}
