import { expect, test } from "vitest";
import type { DatasetVersion, Run } from "../src/api/types";
import type { Graph } from "../src/graph/graph";
import { nextTick, placed, type Tick, ticksOfGraph, ticksOfVersions } from "../src/graph/ticks";

const at = (hour: number): string => `2026-11-20T${String(hour).padStart(2, "0")}:00:00Z`;
const run = (state: string, hour: number): Run =>
  ({ outcome: state, startedAt: at(hour - 1), endedAt: at(hour) }) as Run;
const kinds = (ticks: readonly Tick[]) => ticks.map(({ kind }) => kind);

test("a graph has a tick for the newest run of each job and for each new dataset", () => {
  const nodes = new Map<string, unknown>([
    ["j", { name: "j", job: { latestRun: run("FAILED", 9) } }],
    ["k", { name: "k", job: { latestRun: null } }],
    ["d", { name: "lake/d", dataset: { createdAt: at(8) } }],
    ["foreign", { name: "f", dataset: { createdAt: null } }],
  ]);
  const ticks = ticksOfGraph({ nodes } as unknown as Graph);
  expect(kinds(ticks)).toEqual(["failed", "change"]);
  expect(ticks.map(({ text }) => text)).toEqual(["2026-11-20 09:00Z: j failed", "2026-11-20 08:00Z: d is new"]);
});

test("a write is a tick, and a change if it came with another schema", () => {
  const version = (hour: number, columns: string[], state = "COMPLETED") =>
    ({
      createdAt: at(hour),
      createdByRun: run(state, hour),
      fields: columns.map((name) => ({ name })),
    }) as DatasetVersion;
  const versions = [version(5, ["a", "b"]), version(4, ["a"]), version(3, []), version(2, ["a"], "FAILED")];
  expect(kinds(ticksOfVersions(versions, "t"))).toEqual(["change", "run", "run", "failed"]);
});

test("of several ticks at a place the gravest is shown, and none outside", () => {
  const ticks: Tick[] = (["failed", "run", "change"] as const).map((kind) => ({ kind, at: 50, text: kind }));
  const shown = placed([...ticks, { kind: "run", at: 200, text: "" }], 0, 100, 10);
  expect([...shown].map(([place, { kind }]) => [place, kind])).toEqual([[5, "failed"]]);
});

test("the next tick is another second's", () => {
  const ticks: Tick[] = [1000, 5000, 5500, 9000].map((time) => ({ kind: "run", at: time, text: "" }));
  expect([nextTick(ticks, 5000, -1)?.at, nextTick(ticks, 5000, 1)?.at]).toEqual([1000, 9000]);
  expect(nextTick(ticks, 9000, 1)).toBeUndefined();
});
