/** The times at which something happened in a graph: the runs of its jobs, and what changed. */

import type { DatasetVersion, Run } from "../api/types";
import { moment } from "../text/amounts";
import { oneLine, shortName } from "../text/names";
import type { Graph } from "./graph";
import { changesBetween } from "./schema";

export interface Tick {
  kind: "run" | "failed" | "change";
  /** Milliseconds since 1970. */
  at: number;
  text: string;
}

/** The newest run of each job, and when each dataset was heard of first. */
export function ticksOfGraph(graph: Graph): Tick[] {
  return [...graph.nodes.values()].flatMap(({ name, job, dataset }) => {
    if (job?.latestRun) return ticksOfRun(job.latestRun, name);
    return dataset?.createdAt ? [tick("change", dataset.createdAt, `${shortName(name)} is new`)] : [];
  });
}

/** A run is a tick at its end, when what it did is there. */
export function ticksOfRun(run: Run, name: string): Tick[] {
  const at = run.endedAt ?? run.startedAt;
  const isBad = run.outcome === "FAILED" || run.outcome === "ABORTED";
  return at
    ? [tick(isBad ? "failed" : "run", at, `${shortName(name)} ${run.outcome.toLowerCase().replace("_", " ")}`)]
    : [];
}

/** The writes of a dataset, and which of them came with another schema; `versions` are newest first. */
export function ticksOfVersions(versions: readonly DatasetVersion[], name: string): Tick[] {
  return versions.flatMap(({ createdAt, createdByRun, fields }, index) => {
    const before = versions[index + 1]?.fields ?? [];
    const changes = before.length && fields.length ? changesBetween(before, fields) : [];
    const changed = changes.map(({ kind, field }) => `${field} ${kind}`).join(", ");
    if (changed) return [tick("change", createdAt, `${shortName(name)}: ${changed}`)];
    return createdByRun ? ticksOfRun({ ...createdByRun, endedAt: createdAt }, name) : [];
  });
}

/** The ticks that a row of so many places shows, by place: of several at one, the failure or else the change. */
export function placed(ticks: readonly Tick[], first: number, last: number, places: number): Map<number, Tick> {
  const rank = { run: 0, change: 1, failed: 2 };
  const shown = ticks
    .filter(({ at }) => at >= first && at <= last)
    .toSorted((one, other) => rank[one.kind] - rank[other.kind]);
  return new Map(shown.map((each) => [Math.round((places * (each.at - first)) / (last - first)), each]));
}

/** The nearest tick before or behind a time; seconds count, since a picture has a time to the second. */
export function nextTick(ticks: readonly Tick[], time: number, step: -1 | 1): Tick | undefined {
  return ticks.filter(({ at }) => step * (at - time) > 999).toSorted((one, other) => step * (one.at - other.at))[0];
}

function tick(kind: Tick["kind"], time: string, text: string): Tick {
  return { kind, at: Date.parse(time), text: `${moment(time)}: ${oneLine(text)}` };
}
