/** Which alert follows from which: one incident is told once, and what follows from it stands below. */

import type { Alert } from "../api/alerts";

/** What an alert follows from, of another dataset or of a run that failed. */
const CHANGED = "Dataset Schema Changed";

/**
 * The alert that each alert follows from, by ids, among these, which are newest first. A cause whose alert came later
 * has no id: then it is the latest change of its dataset that is not later.
 */
export function causesAmong(alerts: Alert[]): Map<string, string> {
  const known = new Map(alerts.map((alert) => [alert.id, alert]));
  const found = new Map<string, string>();
  for (const alert of alerts) {
    for (const { alertId, nodeId } of alert.details?.causes ?? []) {
      const cause =
        known.get(alertId ?? "") ??
        alerts.find(
          (each) => each !== alert && each.nodeId === nodeId && each.type === CHANGED && each.time <= alert.time,
        );
      if (!cause || leadsTo(found, cause.id, alert.id)) continue;
      found.set(alert.id, cause.id);
      break;
    }
  }
  return found;
}

/** The alerts that follow from one, near or far. */
export function following(alerts: Alert[], causes: Map<string, string>, id: string): Alert[] {
  return alerts.filter((alert) => alert.id !== id && leadsTo(causes, alert.id, id));
}

function leadsTo(causes: Map<string, string>, from: string, to: string): boolean {
  let id: string | undefined = from;
  while (id && id !== to) id = causes.get(id);
  return id === to;
}
