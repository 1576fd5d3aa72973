/** The alerts that were told. */

import { get, pathOf, type Query } from "./request";
import type { ImpactItem, Name, Page } from "./types";

/** What breaks, node by node. Alerts of earlier releases have no sentence. */
export interface BrokenItems {
  items: (ImpactItem & { owners: string[] })[];
  sentence?: string;
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
    runId?: string;
    job?: Name;
    run?: { runId: string };
    /** Whether a job read or wrote the dataset with its new schema: input or output. */
    seenAs?: string;
    [member: string]: unknown;
  };
  /** Whether the alert names nodes that the key may not read: then it has no sentences and no details. */
  hidden?: boolean;
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
