/** What a comparison of two times says of each node: in the picture, the table and the lists. */

import { expect, test } from "vitest";
import { changesOf, type Difference, type DiffNode, marksOfDifference, summaryOf } from "../src/graph/difference";
import { chipOf, wordsOf } from "../src/graph/marks";

const node = (name: string, more: Partial<DiffNode> = {}): DiffNode => ({
  nodeId: `dataset:n:${name}`,
  type: "DATASET",
  namespace: "n",
  name,
  ...more,
});
const TRIPS = node("trips", {
  columns: {
    added: [{ field: "tip", type: "double" }],
    removed: [{ field: "city", type: null }],
    retyped: [{ field: "fare", before: "double", after: "string", change: "incompatible" }],
  },
});

function difference(nodes: Partial<Difference["nodes"]>): Difference {
  const edges = { added: [{ origin: "dataset:n:a", destination: "job:n:b" }], removed: [] };
  return { from: "", to: "", nodes: { added: [], removed: [], changed: [], ...nodes }, edges };
}

test("a changed dataset names its columns, with their types and what the change means", () => {
  const [mark] = marksOfDifference(difference({ changed: [TRIPS] })).get(TRIPS.nodeId) ?? [];
  expect(mark && wordsOf(mark)).toBe("columns changed: ~ fare, double → string, incompatible; − city; + tip, double");
  expect(changesOf(TRIPS).map(chipOf)).toEqual([
    { tone: "warn", text: "~ fare" },
    { tone: "bad", text: "− city" },
    { tone: "good", text: "+ tip" },
  ]);
});

test("a column that seems renamed is one change", () => {
  const renamed = [{ before: "note", after: "remark", evidence: "made of the same columns in the same way" }];
  const [mark] =
    marksOfDifference(
      difference({ changed: [node("trips", { columns: { added: [], removed: [], retyped: [], renamed } })] }),
    ).get(TRIPS.nodeId) ?? [];
  expect(mark && wordsOf(mark)).toBe("columns changed: ~ note seems renamed to remark");
});

test("a renamed dataset and a job with other code tell what they were", () => {
  const sales = node("sales", { renamedFrom: { namespace: "n", name: "orders" } });
  const [mark] = marksOfDifference(difference({ changed: [sales] })).get(sales.nodeId) ?? [];
  expect(mark?.text).toBe("renamed");
  const job = node("load", {
    type: "JOB",
    code: { before: { version: "a" }, after: { version: "b", branch: "main" } },
  });
  expect(changesOf(job).map(({ field, before, after }) => [field, before, after])).toEqual([
    ["version", "a", "b"],
    ["branch", "none", "main"],
  ]);
});

test("a dataset that was dropped or deleted is not just removed", () => {
  const removed = [node("a", { dropped: true }), node("b", { deleted: true }), node("c")];
  const marks = marksOfDifference(difference({ removed }));
  expect(removed.map(({ nodeId }) => marks.get(nodeId)?.[0]?.text)).toEqual(["dropped", "deleted", "removed"]);
});

test("the summary counts datasets and jobs apart", () => {
  const changed = [TRIPS, node("load", { type: "JOB" })];
  expect(summaryOf(difference({ changed, added: [node("x")] }))).toBe(
    "1 dataset changed, 1 job changed, 1 node added, 1 edge added",
  );
  expect(summaryOf({ ...difference({}), edges: { added: [], removed: [] } })).toBe("nothing changed");
});
