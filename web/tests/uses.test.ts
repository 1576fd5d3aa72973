import { expect, test } from "vitest";
import type { Dataset, DatasetVersion, Lineage, Run } from "../src/api/types";
import { jobOf, lastWrite, rowsByRun, schemaChanges, usersOf } from "../src/views/node/uses";

const ORDERS = { namespace: "s3://lake", name: "orders" };
const edge = (origin: string, destination: string) => ({ origin, destination });
const GRAPH = {
  graph: [
    {
      id: "dataset:s3://lake:orders",
      type: "DATASET",
      data: ORDERS,
      inEdges: [edge("job:demo:load", "dataset:s3://lake:orders"), edge("job:demo:load", "dataset:s3://lake:orders")],
      outEdges: [edge("dataset:s3://lake:orders", "job:demo:report"), edge("dataset:s3://lake:orders", "job:demo:far")],
    },
    { id: "job:demo:load", type: "JOB", data: { namespace: "demo", name: "load", latestRun: { state: "FAILED" } } },
    { id: "job:demo:report", type: "JOB", data: { namespace: "demo", name: "report", latestRun: null } },
  ],
} as unknown as Lineage;

/** A version with columns `name:type`. */
const version = (run: string | null, columns: string, rowCount?: unknown): DatasetVersion =>
  ({
    version: `${run}`,
    createdAt: "2026-11-20T08:00:00Z",
    createdByRun: run && { id: run, jobVersion: { namespace: "demo", name: "load", version: "v" } },
    fields: columns.split(" ").flatMap((column) => {
      const [name, type] = column.split(":");
      return name ? [{ name, type, description: null, tags: [] }] : [];
    }),
    facets: rowCount === undefined ? {} : { outputStatistics: { rowCount } },
  }) as DatasetVersion;

test("writers and readers are told by the edges of the dataset, also those beyond the answer", () => {
  const { writers, readers } = usersOf(ORDERS, GRAPH);
  expect(writers.map(({ name, latestRun }) => [name, latestRun?.state])).toEqual([["load", "FAILED"]]);
  expect(readers.map(({ name, latestRun }) => [name, latestRun])).toEqual([
    ["report", null],
    ["far", null],
  ]);
  expect(usersOf({ namespace: "other", name: "orders" }, GRAPH)).toEqual({ writers: [], readers: [] });
});

test("the last write is the current version's, not that of a later run which failed, and names its job", () => {
  const versions = [version("failed", "a:int"), version(null, "a:int"), version("good", "a:int")];
  const run = lastWrite({ currentVersion: "good" } as Dataset, versions);
  expect(run?.id).toBe("good");
  expect(jobOf(run as Run)?.name).toBe("load");
  expect(lastWrite({ currentVersion: null } as Dataset, [version(null, "a:int")])).toBeNull();
});

test("a version without a schema changes nothing", () => {
  const versions = [version("r4", "a:text"), version("r3", ""), version("r2", "a:int"), version("r1", "a:int")];
  const [change, ...others] = schemaChanges(versions);
  expect([change?.version.version, change?.changes[0]?.kind, others]).toEqual(["r4", "retyped", []]);
});

test("rows are those that the producer tells of this dataset, none and nothing being apart", () => {
  const versions = [version("r3", "", 0), version("r2", "", "many"), version("r1", ""), version(null, "", 7)];
  expect([...rowsByRun(versions)]).toEqual([["r3", 0]]);
});
