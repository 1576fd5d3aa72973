import { expect, test } from "vitest";
import { exportQuery, lineageParameters } from "../src/views/lineage/parameters";

const wanted = (query: string) => lineageParameters(new URLSearchParams(query));

test("the export is of the graph that the address names, at its time", () => {
  const { nodeId, ...others } = exportQuery(wanted("nodeId=dataset:n:t&asOf=2026-01-01T00:00:00Z&rollup=parent"), {
    up: 2,
    down: 2,
  });
  expect(nodeId).toBe("dataset:n:t");
  expect(others).toEqual({ depth: 2, direction: "both", asOf: "2026-01-01T00:00:00Z", rollup: "parent", view: "" });
});

test.each([
  [3, 0, "upstream", 3],
  [0, 1, "downstream", 1],
  [1, 4, "both", 4],
])("of %i hops up and %i down, it is %s by %i", (up, down, direction, depth) => {
  expect(exportQuery(wanted("nodeId=job:n:j"), { up, down })).toMatchObject({ direction, depth });
});

test("while a column is picked, the export is of its way", () => {
  const query = exportQuery(wanted("nodeId=job:n:j&table=dataset:n:t&column=c&asOf="), { up: 1, down: 1 });
  expect(query).toEqual({ nodeId: "datasetField:n:t:c", direction: "both", asOf: "" });
});

test("a phone begins with the table, and shows the graph if asked to", () => {
  const asTable = (query: string, isPhone: boolean) => lineageParameters(new URLSearchParams(query), isPhone).asTable;
  expect(["", "as=graph", "as=table"].map((query) => asTable(query, true))).toEqual([true, false, true]);
  expect(["", "as=graph", "as=table"].map((query) => asTable(query, false))).toEqual([false, false, true]);
});
