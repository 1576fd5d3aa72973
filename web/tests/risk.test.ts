import { expect, test } from "vitest";
import { brokenText, isPossible, wayOf } from "../src/graph/risk";
import { impactMarkdown } from "../src/picture/markdown";

const COLUMN = {
  nodeId: "datasetField:n:scores:segment",
  type: "DATASET_FIELD",
  distance: 1,
  by: "unknown",
  indirect: false,
  possible: true,
  path: [],
} as const;

test("a column of unknown origin may break", () => {
  expect(isPossible(COLUMN)).toBe(true);
  expect(wayOf(COLUMN)).toBe("may break: the producer does not know its origin");
});

test("a table whose filters are not told, and a reader without column lineage, may use the column", () => {
  expect(wayOf({ ...COLUMN, type: "DATASET", indirect: true })).toBe("may use it");
  expect(wayOf({ ...COLUMN, type: "JOB", by: "dataset" })).toBe("may use it");
});

test("what a changed table is read for is certain", () => {
  expect(wayOf({ ...COLUMN, type: "JOB", by: "dataset", possible: false })).toBe("by the lineage of datasets");
});

test("what breaks is counted apart from what may break", () => {
  const possible = { columns: 1, datasets: 0, jobs: 1 };
  expect(brokenText({ columns: 2, datasets: 0, jobs: 2, possible })).toBe(
    "It breaks 1 column, 1 job, and may break 1 column, 1 job",
  );
  expect(brokenText({ ...possible, possible })).toBe("It may break 1 column, 1 job");
  expect(brokenText({ columns: 2, datasets: 0, jobs: 0 })).toBe("It breaks 2 columns");
});

test("Markdown: what may break is counted, and says so", () => {
  const text = impactMarkdown(
    { nodeId: "x", totalCount: 3, possibleCount: 1, owners: [{ owner: null, items: [{ ...COLUMN, path: [] }] }] },
    "customers.country",
  );
  expect(text).toContain("2 nodes downstream would be affected. 1 node more may be affected.");
  expect(text).toContain("1 hop, may break: the producer does not know its origin");
});
