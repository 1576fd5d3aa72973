import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { Expected, ExpectedState } from "../src/api/expectations";
import type { DatasetInGraph } from "../src/api/types";
import { FRESHNESS, matches, NO_FILTER } from "../src/graph/filter";
import { EMPTY, type Graph, type GraphNode, withDue, withEdges } from "../src/graph/graph";
import { conditionOf } from "../src/graph/marks";
import { Due, lateness } from "../src/views/node/ExpectedTab";
import { BandPlot, isUnusual, type MeasuredRun } from "../src/views/run/BandPlot";

const HOUR_MS = 3_600_000;
const hence = (hours: number): string => new Date(Date.now() + hours * HOUR_MS + 1000).toISOString();

function expected(nodeId: string, state: ExpectedState, dueAt: string | null): Expected {
  return {
    nodeId,
    job: { namespace: "n", name: nodeId },
    state,
    timetable: dueAt && "at 07:00 UTC",
    reason: dueAt ? null : "2 runs ended so far",
    dueAt,
    latestAt: dueAt,
    lastStartedAt: null,
    waitsFor: null,
  };
}

function graphOf(...nodes: GraphNode[]): Graph {
  return { ...EMPTY, nodes: new Map(nodes.map((node) => [node.id, node])) };
}

const job = (id: string): GraphNode => ({ id, kind: "job", namespace: "n", name: id });
const WRITTEN = { fields: [], tags: [], owners: [], lastWrittenAt: hence(-48) } as unknown as DatasetInGraph;
const TABLE: GraphNode = { id: "t", kind: "dataset", namespace: "n", name: "t", dataset: WRITTEN };
const GRAPH = withEdges(graphOf(TABLE, job("a"), job("b"), job("c")), [
  { from: "a", to: "t" },
  { from: "b", to: "t" },
  { from: "t", to: "c" },
]);

test("a table is as late as the most urgent of its writers, and its reader is not", () => {
  const { nodes } = withDue(GRAPH, [expected("a", "ON_TIME", hence(2)), expected("b", "LATE", hence(-3))]);
  expect(nodes.get("t")?.due?.nodeId).toBe("b");
  expect(conditionOf(nodes.get("t")!)).toEqual({ tone: "warn", text: "late, due 3h ago · written 2d ago" });
  expect(nodes.get("c")?.due).toBeUndefined();
});

test("a card without a due is as before", () => {
  expect(conditionOf(withDue(GRAPH, []).nodes.get("t")!).text).toBe("0 columns · written 2d ago");
});

test("freshness is a filter; an unknown one lets all pass", () => {
  const { nodes } = withDue(GRAPH, [expected("a", "ON_TIME", hence(2)), expected("b", "LATE", hence(-3))]);
  const passing = (fresh: string): string[] =>
    [...nodes.values()].filter((node) => matches(node, { ...NO_FILTER, fresh })).map(({ id }) => id);
  expect([...FRESHNESS.keys()].map(passing)).toEqual([["t", "b"], ["t", "a", "b"], ["t"], []]);
  expect(passing("__proto__")).toHaveLength(4);
});

test("what is not claimed has its reason", () => {
  const text = renderToStaticMarkup(<Due expected={expected("a", "UNKNOWN", null)} />);
  expect(text).toContain("nothing is claimed: 2 runs ended so far");
  expect(text).not.toContain("Next due");
});

const RUN: MeasuredRun = {
  run: "b",
  startedAt: hence(-1),
  failed: false,
  amount: 12,
  low: 800,
  usual: 1000,
  high: 1250,
};

test("an amount beyond the band is unusual, unless the run failed or nothing is claimed", () => {
  expect(isUnusual(RUN)).toBe(true);
  expect(isUnusual({ ...RUN, amount: 800 })).toBe(false);
  expect(isUnusual({ ...RUN, amount: 1251 })).toBe(true);
  expect(isUnusual({ ...RUN, failed: true })).toBe(false);
  expect(isUnusual({ ...RUN, amount: null })).toBe(false);
  expect(isUnusual({ run: "b", startedAt: RUN.startedAt, failed: false, amount: 12 })).toBe(false);
});

test("a plot has a band for each run that has one, and says the last amount", () => {
  const runs = [{ run: "a", startedAt: hence(-2), failed: true, amount: 0 }, RUN];
  const text = renderToStaticMarkup(<BandPlot title="Rows" runs={runs} text={String} />);
  expect(text.match(/class="band"/g)).toHaveLength(1);
  expect(text).toContain("bar-failed");
  expect(text).toContain("12, usual 800 to 1250");
  expect(renderToStaticMarkup(<BandPlot title="Rows" runs={[]} text={String} />)).toContain("not known");
});

test("lateness is that of the start, and a run may be early", () => {
  const run = {
    run: "a",
    endedAt: "",
    failed: false,
    seconds: { amount: 1 },
    rows: { amount: 1 },
    bytes: { amount: 1 },
  };
  const due = { dueAt: "2026-11-20T07:00:00Z", latestAt: "2026-11-20T07:15:00Z" };
  expect(lateness({ ...run, ...due, startedAt: "2026-11-20T08:10:00Z" })).toEqual({ amount: 4200, low: 0, high: 900 });
  expect(lateness({ ...run, ...due, startedAt: "2026-11-20T06:59:00Z" })).toEqual({ amount: -60, low: -60, high: 900 });
  expect(lateness({ ...run, dueAt: null, latestAt: null, startedAt: "2026-11-20T06:59:00Z" })).toEqual({
    amount: null,
  });
});
