import { expect, test } from "vitest";
import type { Result } from "../src/api/search";
import { groupsOf, hasMore, linkOf, search } from "../src/views/search/search";

const COLUMN: Result = {
  type: "COLUMN",
  name: "price",
  nodeId: "datasetField:n:raw/orders:price",
  namespace: "n",
  dataset: "raw/orders",
};
const TABLE: Result = { type: "DATASET", name: "raw/orders", nodeId: "dataset:n:raw/orders", namespace: "n" };
const OWNER: Result = { type: "OWNER", name: "a team", nodes: [] };

test("a column leads straight to its way, a table to its graph, an owner to what it owns", () => {
  const table = encodeURIComponent("dataset:n:raw/orders");
  expect(linkOf(COLUMN)).toBe(`#/lineage?nodeId=${table}&table=${table}&column=price`);
  expect(linkOf(TABLE)).toBe(`#/lineage?nodeId=${table}`);
  expect(linkOf(OWNER)).toMatch(/^#\/label\?type=OWNER&name=a(%20|\+)team$/);
});

test("a query's id leads to its run", () => {
  const found: Result = { ...TABLE, type: "JOB", runId: "01a203a4", matchedIn: ["externalQuery"] };
  expect(linkOf(found)).toBe("#/run?id=01a203a4");
});

test("results are grouped in the order of the answer", () => {
  expect(groupsOf([COLUMN, TABLE, COLUMN, OWNER]).map(([label, found]) => [label, found.length])).toEqual([
    ["Columns", 2],
    ["Datasets", 1],
    ["Owners", 1],
  ]);
});

test("there is more if a group is full, as far as the API goes", () => {
  const found = { results: [COLUMN, COLUMN, TABLE] };
  expect([2, 3].map((limit) => hasMore(found, limit))).toEqual([true, false]);
  expect(hasMore({ results: Array(200).fill(TABLE) }, 200)).toBe(false);
});

test("the id of a run is a run", async () => {
  const { results } = await search("01A203A4-764e-7334-9f14-d6d70bfca421", new AbortController().signal);
  expect(results).toEqual([{ type: "RUN", name: "01a203a4-764e-7334-9f14-d6d70bfca421" }]);
});
