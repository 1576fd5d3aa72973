/** The time from which a list is shown: `hours` of the address, or all. */

import { changeParameters } from "../routing/location";

const SPANS: [string, number | null][] = [
  ["Last hour", 1],
  ["Last 24 hours", 24],
  ["Last 7 days", 168],
  ["All", null],
];
const HOUR = 3_600_000;
/** A span begins at a whole minute, so that the same view asks the same question. */
const MINUTE = 60_000;

export function Since({ hours }: { hours: number | null }) {
  return (
    <select
      aria-label="Since"
      value={hours ?? "all"}
      onChange={(event) => changeParameters({ hours: event.target.value })}
    >
      {SPANS.map(([label, value]) => (
        <option key={label} value={value ?? "all"}>
          {label}
        </option>
      ))}
    </select>
  );
}

/** The hours in the address, or else `usual`; null is all time. */
export function hoursIn(parameters: URLSearchParams, usual: number | null): number | null {
  return parameters.has("hours") ? Number(parameters.get("hours")) || null : usual;
}

/** The time so many hours ago, for the parameter `after`; empty for all time. */
export function hoursAgo(hours: number | null): string {
  return hours ? new Date(Math.floor((Date.now() - hours * HOUR) / MINUTE) * MINUTE).toISOString() : "";
}
