import { expect, test } from "vitest";
import { brokenText, isPossible, nodesText, sureness, wayOf } from "../src/graph/risk";
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

test("what reads a changed table may break, by the lineage of tables", () => {
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

const TABLE = { ...COLUMN, type: "DATASET", by: "dataset", possible: false } as const;
const impactOf = (...items: (typeof COLUMN | typeof TABLE)[]) => ({
  nodeId: "x",
  totalCount: items.length,
  possibleCount: items.filter(({ possible }) => possible).length,
  owners: [{ owner: null, items: items.map((item) => ({ ...item, path: [] })) }],
});

test("only known columns break for certain: what tables tell may break", () => {
  expect(sureness({ by: "column", possible: false })).toBe("breaks");
  expect(sureness(TABLE)).toBe("may break, by table lineage");
  expect(nodesText(impactOf(COLUMN))).toBe("0 nodes for certain, 1 node possibly");
  expect(nodesText(impactOf(TABLE, COLUMN))).toBe("1 node by table lineage, 1 node possibly");
  expect(brokenText({ columns: 0, datasets: 2, jobs: 1, by: "dataset" })).toBe(
    "It may break 2 datasets, 1 job, by table lineage",
  );
  expect(impactMarkdown(impactOf(TABLE), "t")).toContain("1 node downstream may be affected, by table lineage.");
});

test("Markdown: what the walk cannot see comes last, and is left out where it saw all", () => {
  const frontier = { since: null, seen: { jobs: 1, datasets: 1 }, unseen: [], sentence: "Not seen: 1 job (a)." };
  expect(impactMarkdown({ ...impactOf(TABLE), frontier }, "t")).toContain(
    "Not seen: 1 job (a).".replace(/[()]/g, "\\$&"),
  );
  expect(impactMarkdown(impactOf(TABLE), "t")).not.toContain("Not seen");
});
