/** The events that were refused in the last week, each kind with its fault and the remedy. */

import type { Caller } from "../../api/caller";

export interface Refusal {
  producer: string | null;
  key: string | null;
  status: number;
  path: string | null;
  count: number;
  firstAt: string;
  lastAt: string;
}

export interface Refusals {
  refusals: Refusal[];
  truncated?: boolean;
}

/** By the place of the fault in an event, the first that fits: what a client must send, as docs/routes.md has it. */
const PLACES: [path: RegExp, remedy: string][] = [
  [
    /^body$/,
    "The body is no JSON in UTF-8, or a proxy changed its gzip: let the producer send it plain, with the content type application/json.",
  ],
  [
    /^eventTime$/,
    "An event time is ISO 8601, as 2026-11-20T08:00:00Z, and at most a year ahead: correct the producer's clock or its format.",
  ],
  [/^run\.runId$/, "A run id is a UUID: let the producer make one for each run."],
  [
    /^(job|run|dataset)$/,
    "An event needs its job and run, or its dataset: this is no OpenLineage event, or a proxy cut it.",
  ],
  [
    /(^|\.)(namespace|name)$/,
    "A job and a dataset need a namespace and a name, of at most 16,384 characters: set them in the producer's configuration.",
  ],
];
const STATUSES: Record<number, string> = {
  401: "Give the producer a key that Headwater knows and that has not expired: `headwater key add NAME` makes one.",
  403: "Give the key the scope ingest, and the namespaces that its events are about.",
  413: "Send smaller batches, or raise MaxBodyBytes.",
};

/** What went wrong, in words: the member of the event, or what the status means. */
export function faultOf({ status, path }: Pick<Refusal, "status" | "path">): string {
  const meaning = { 400: "invalid", 401: "no valid key", 403: "not permitted", 413: "too large" }[status] ?? "refused";
  return path ? `${status} ${meaning}: ${path}` : `${status} ${meaning}`;
}

export function remedyOf({ status, path }: Pick<Refusal, "status" | "path">): string {
  const place = status === 400 && path ? PLACES.find(([pattern]) => pattern.test(path)) : undefined;
  return place?.[1] ?? STATUSES[status] ?? "The answer to each event names the fault: look into the producer's log.";
}

/** Whether a caller sees what was refused to others, too: the right of a key that reads every namespace. */
export function seesAll({ reads }: Pick<Caller, "reads">): boolean {
  return reads.includes("*");
}
