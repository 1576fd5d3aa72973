/** The alerts that were told. */

import { get, pathOf, type Query, request } from "./request";
import type { ImpactItem, Name, Page } from "./types";

/** What breaks, node by node. Alerts of earlier releases have no sentence. */
export interface BrokenItems {
  items: (ImpactItem & { owners: string[] })[];
  sentence?: string;
}

/** Who acknowledged an alert, when and why. */
export interface Acknowledgement {
  at: string;
  by: string;
  note: string;
}

/** Until when alerts of one type about one node are not sent, who said so and why. */
export interface Silence {
  since: string;
  until: string;
  by: string;
  note: string;
}

export interface Alert extends Name {
  id: string;
  type: string;
  severity: string;
  time: string;
  nodeId: string;
  title: string;
  owners?: string[];
  lines?: string[];
  details?: {
    application?: { job: Name; runId: string };
    orchestrator?: { job: Name; runId: string };
    breaks?: BrokenItems;
    /** The columns of a changed schema that have another type. */
    retyped?: { field: string }[];
    removed?: { field: string }[];
    added?: { field: string }[];
    runId?: string;
    job?: Name;
    run?: { runId: string };
    /** The changes upstream that this change follows from; the alert of one may be unknown. */
    causes?: { nodeId: string; alertId: string | null }[];
    /** Whether a job read or wrote the dataset with its new schema: input or output. */
    seenAs?: string;
    [member: string]: unknown;
  };
  /** Whether the alert names nodes that the key may not read: then it has no sentences and no details. */
  hidden?: boolean;
  acknowledged?: Acknowledgement;
  /** The alert was not sent, since such alerts were silenced. */
  silenced?: Silence;
  /** Such alerts are silenced now: none of them is open. */
  silence?: Silence;
}

export interface Alerts extends Page {
  alerts: Alert[];
}

export function alerts(query: Query, signal?: AbortSignal): Promise<Alerts> {
  return get<Alerts>("alerts", query, signal);
}

export function alertOf(id: string, signal?: AbortSignal): Promise<Alert> {
  return get<Alert>(pathOf("alerts", id), {}, signal);
}

export function acknowledge(id: string, note: string): Promise<unknown> {
  return request("PUT", pathOf("alerts", id, "acknowledgement"), {}, undefined, { note });
}

export function reopen(id: string): Promise<unknown> {
  return request("DELETE", pathOf("alerts", id, "acknowledgement"), {});
}

/** Sends no more alerts of its type about its node; `until` is a time, or a duration such as 2h. */
export function silence(id: string, until: string, note: string): Promise<unknown> {
  return request("PUT", pathOf("alerts", id, "silence"), {}, undefined, { until, note });
}

export function endSilence(id: string): Promise<unknown> {
  return request("DELETE", pathOf("alerts", id, "silence"), {});
}
