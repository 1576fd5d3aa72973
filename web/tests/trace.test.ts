import { expect, test } from "vitest";
import type { ColumnLineage, Transformation } from "../src/api/types";
import { between, isMasked, traceOf, transformationText, unknownOrigins } from "../src/graph/trace";

const by = (subtype: string, type: Transformation["type"] = "DIRECT", masking = false): Transformation => ({
  type,
  subtype,
  description: "",
  masking,
});
const column = (dataset: string, field: string, inputs: [string, string][] = []): ColumnLineage["graph"][number] => ({
  id: `datasetField:n:${dataset}:${field}`,
  type: "DATASET_FIELD",
  inEdges: [],
  outEdges: [],
  data: {
    namespace: "n",
    dataset,
    field,
    fieldType: null,
    inputFields: inputs.map(([input, name]) => ({
      namespace: "n",
      dataset: input,
      field: name,
      transformations: [by("IDENTITY")],
    })),
  },
});
const ANSWER: ColumnLineage = {
  graph: [
    column("a", "x"),
    column("a", "y"),
    column("b", "z", [
      ["a", "x"],
      ["a", "y"],
      ["other", "w"],
    ]),
    column("c", "q", [["b", "z"]]),
  ],
  indirect: [
    {
      namespace: "n",
      dataset: "b",
      inputField: { namespace: "n", dataset: "a", field: "when", transformations: [by("FILTER", "INDIRECT")] },
    },
  ],
};
const ends = (trace: {
  edges: readonly { from: { dataset: string; field: string }; to: { dataset: string; field: string | null } }[];
}) => trace.edges.map(({ from, to }) => `${from.dataset}.${from.field} > ${to.dataset}.${to.field}`);

test("a trace has the edges between the columns of the answer, once each", () => {
  expect(ends(traceOf([ANSWER, ANSWER], false))).toEqual([
    "dataset:n:a.x > dataset:n:b.z",
    "dataset:n:a.y > dataset:n:b.z",
    "dataset:n:b.z > dataset:n:c.q",
  ]);
});

test("filters and joins are apart, and bear on the whole dataset", () => {
  expect(ends(traceOf([ANSWER], true)).at(-1)).toBe("dataset:n:a.when > dataset:n:b.null");
});

test("between two columns only their paths stay, in either direction", () => {
  const trace = traceOf([ANSWER], false);
  const [x, q] = [
    { dataset: "dataset:n:a", field: "x" },
    { dataset: "dataset:n:c", field: "q" },
  ];
  const expected = ["dataset:n:a.x > dataset:n:b.z", "dataset:n:b.z > dataset:n:c.q"];
  expect(ends(between(trace, x, q))).toEqual(expected);
  expect(ends(between(trace, q, x))).toEqual(expected);
  expect(ends(between(trace, x, { dataset: "dataset:n:a", field: "y" }))).toEqual([]);
});

test("a transformation is a word, and masking is known", () => {
  expect(transformationText([by("GROUP_BY", "INDIRECT"), by("GROUP_BY", "INDIRECT"), by("IDENTITY")])).toBe(
    "group by, identity",
  );
  expect(isMasked([by("AGGREGATION", "DIRECT", true)])).toBe(true);
  expect(isMasked([by("AGGREGATION")])).toBe(false);
});

test("a column of unknown origin says which job leaves it open, and how", () => {
  const of = (dataset: string, reason: string) => ({
    namespace: "n",
    dataset,
    fields: ["y"],
    job: { namespace: "n", name: "j" },
    reason,
  });
  const unknown = [of("a", "COLUMNS_OF_UNKNOWN_ORIGIN"), of("b", "JOBS_WITHOUT_COLUMN_LINEAGE")];
  const found = unknownOrigins([{ graph: [], unknown }]);
  expect(found.get("dataset:n:a")?.get("y")).toBe("origin unknown: job j does not say what it is made of");
  expect(found.get("dataset:n:b")?.get("y")).toBe("origin unknown: job j sends no column lineage");
});
