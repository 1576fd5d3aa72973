import { expect, test } from "vitest";
import { isPossible, sureness, wayOf } from "../src/graph/risk";
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
  expect(wayOf({ ...COLUMN, type: "JOB", by: "dataset", possible: false })).toBe("by table lineage");
});

test("Markdown: what may break is counted, and says so", () => {
  const text = impactMarkdown(
    impactOf("It breaks 1 column, 1 job, and may break 1 column.", COLUMN),
    "customers.country",
  );
  expect(text).toContain("It breaks 1 column, 1 job, and may break 1 column.");
  expect(text).toContain("1 hop, may break: the producer does not know its origin");
});

const TABLE = { ...COLUMN, type: "DATASET", by: "dataset", possible: false } as const;
const NONE = { columns: 0, datasets: 0, jobs: 0 };
const impactOf = (sentence: string, ...items: (typeof COLUMN | typeof TABLE)[]) => ({
  nodeId: "x",
  totalCount: items.length,
  breaks: { ...NONE, possible: NONE, by: null, sentence },
  possibleCount: items.filter(({ possible }) => possible).length,
  owners: [{ owner: null, items: items.map((item) => ({ ...item, path: [] })) }],
});

test("only known columns break for certain: what tables tell may break", () => {
  expect(sureness({ by: "column", possible: false })).toBe("breaks");
  expect(sureness(TABLE)).toBe("may break, by table lineage");
});

test("Markdown: what the walk cannot see comes last, and is left out where it saw all", () => {
  const frontier = { since: null, seen: { jobs: 1, datasets: 1 }, unseen: [], sentence: "Not seen: 1 job (a)." };
  expect(impactMarkdown({ ...impactOf("By table lineage, it may break 1 dataset.", TABLE), frontier }, "t")).toContain(
    "Not seen: 1 job (a).".replace(/[()]/g, "\\$&"),
  );
  expect(impactMarkdown(impactOf("By table lineage, it may break 1 dataset.", TABLE), "t")).not.toContain("Not seen");
});
