/** The alerts that were told. */

import { get, type Query } from "./request";
import type { Page } from "./types";

export interface Alert {
  id: string;
  alert: string;
  severity: string;
  title: string;
  time: string;
  namespace: string;
  name: string;
  owners?: string[];
  explanation?: string[];
  detail: Record<string, unknown>;
}

export interface Alerts extends Page {
  alerts: Alert[];
}

export function alerts(query: Query, signal?: AbortSignal): Promise<Alerts> {
  return get<Alerts>("alerts", query, signal);
}
