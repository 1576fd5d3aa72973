import { expect, test } from "vitest";
import type { ColumnLineage, Transformation } from "../src/api/types";
import {
  between,
  drawnOf,
  isMasked,
  traceOf,
  transformationText,
  unknownOrigins,
  withPicked,
} from "../src/graph/trace";

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

test("a picked column of which nothing is known is lit all the same", () => {
  const picked = { dataset: "dataset:n:b", field: "made", namespace: "n", name: "b" };
  expect([...withPicked(traceOf([], false), picked).datasets.values()]).toEqual([
    { namespace: "n", name: "b", fields: ["made"] },
  ]);
  const whole = traceOf([ANSWER], false);
  expect(withPicked(whole, { ...picked, field: "z" })).toBe(whole);
  expect(withPicked(whole, picked).datasets.get("dataset:n:b")?.fields).toEqual(["z", "made"]);
});

test("of a way with too many tables, those in the picture and the first of each column are drawn", () => {
  const many = {
    graph: [column("hub", "x"), ...Array.from({ length: 90 }, (_, at) => column(`r${at}`, "y", [["hub", "x"]]))],
  };
  const whole = traceOf([many], false);
  const hub = { dataset: "dataset:n:hub", field: "x" };
  expect(drawnOf(whole, hub, new Set(), 91)).toBe(whole);
  const drawn = drawnOf(whole, hub, new Set(["dataset:n:r89"]), 90);
  expect([...drawn.datasets.keys()]).toHaveLength(41);
  expect(drawn.datasets.has("dataset:n:r89")).toBe(true);
  const backwards = drawnOf(whole, { dataset: "dataset:n:r5", field: "y" }, new Set(), 90);
  expect([...backwards.datasets.keys()].toSorted()).toEqual(["dataset:n:hub", "dataset:n:r5"]);
});
