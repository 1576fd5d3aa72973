import { expect, test } from "vitest";
import type { DatasetInGraph } from "../src/api/types";
import { matches, NO_FILTER } from "../src/graph/filter";
import { EMPTY, type Graph, type GraphNode, withEdges } from "../src/graph/graph";
import { picture } from "../src/graph/groups";
import { changesBetween } from "../src/graph/schema";
import { heightOf, listedFields, MOST_ROWS } from "../src/graph/sizes";
import type { ColumnEdge } from "../src/graph/trace";
import { labelsOf } from "../src/picture/scene";
import { addressOf, linkTo } from "../src/routing/location";

const nodes: GraphNode[] = [
  { id: "a", kind: "dataset", namespace: "raw", name: "a" },
  { id: "b", kind: "dataset", namespace: "raw", name: "b" },
  { id: "j", kind: "job", namespace: "prod", name: "j" },
  { id: "c", kind: "dataset", namespace: "mart", name: "c" },
];
const graph: Graph = withEdges({ ...EMPTY, nodes: new Map(nodes.map((node) => [node.id, node])) }, [
  { from: "a", to: "j" },
  { from: "b", to: "j" },
  { from: "j", to: "c" },
]);
const field = (name: string, type = "int") => ({ name, type, description: null, tags: [] });

test("a group stands for its nodes, and counts their connections", () => {
  const grouped = picture(graph, new Set(graph.nodes.keys()), "namespace", new Set());
  expect(grouped.nodes.map(({ id }) => id).sort()).toEqual(["c", "group:namespace:raw", "j"]);
  expect(grouped.edges).toContainEqual({ from: "group:namespace:raw", to: "j", count: 2 });
});

test("nodes are grouped by their first owner, and filtered by any", () => {
  const owned = (id: string, ...owners: string[]): GraphNode => ({
    ...nodes[0]!,
    id,
    dataset: { fields: [], tags: [], owners } as unknown as DatasetInGraph,
  });
  const ours: Graph = {
    ...EMPTY,
    nodes: new Map([owned("a", "sales"), owned("b", "sales", "legal"), owned("c")].map((node) => [node.id, node])),
  };
  const grouped = picture(ours, new Set(["a", "b", "c"]), "owner", new Set());
  expect(grouped.nodes.map(({ id }) => id).sort()).toEqual(["c", "group:owner:sales"]);
  expect(matches(owned("b", "sales", "legal"), { ...NO_FILTER, owner: "legal" })).toBe(true);
  expect(matches(owned("c"), { ...NO_FILTER, owner: "legal" })).toBe(false);
});

test("an opened group is its nodes", () => {
  const opened = picture(graph, new Set(graph.nodes.keys()), "namespace", new Set(["group:namespace:raw"]));
  expect(opened.nodes).toHaveLength(4);
});

test("a filter sees names, namespaces and columns", () => {
  const wide: GraphNode = {
    ...nodes[0]!,
    dataset: { fields: [field("unit_price")], tags: ["PII"] } as unknown as DatasetInGraph,
  };
  expect(matches(wide, { ...NO_FILTER, text: "raw price" })).toBe(true);
  expect(matches(wide, { ...NO_FILTER, tag: "PII" })).toBe(true);
  expect(matches(wide, { ...NO_FILTER, kind: "job" })).toBe(false);
});

test("a table of 3,000 columns is no higher than one of few", () => {
  const many: GraphNode = {
    ...nodes[0]!,
    dataset: { fields: Array.from({ length: 3000 }, (_, index) => field(`c${index}`)) } as unknown as DatasetInGraph,
  };
  const few: GraphNode = {
    ...nodes[0]!,
    dataset: {
      fields: Array.from({ length: MOST_ROWS + 1 }, (_, index) => field(`c${index}`)),
    } as unknown as DatasetInGraph,
  };
  expect(heightOf(many, { isOpen: true, traced: [] })).toBe(heightOf(few, { isOpen: true, traced: [] }));
});

test("schemas are compared by name and type", () => {
  expect(
    changesBetween([field("a"), field("b"), field("c")], [field("a"), field("b", "text"), field("d")]).map(
      ({ kind, field: name }) => `${kind} ${name}`,
    ),
  ).toEqual(["added d", "removed c", "retyped b"]);
});

test("a link is read as it was written, whatever a name contains", () => {
  const nodeId = "dataset:n:a&b=c#d?e/f %41\nü";
  const { view, parameters } = addressOf(linkTo("lineage", { nodeId, up: 0, empty: "", missing: null }));
  expect([view, parameters.get("nodeId"), parameters.get("up"), [...parameters.keys()]]).toEqual([
    "lineage",
    nodeId,
    "0",
    ["nodeId", "up"],
  ]);
});

const SPELT = (subtype: string) => [{ type: "DIRECT" as const, subtype, description: "", masking: false }];
const drawn = (traced: string[]) => [
  { node: nodes[0]!, opening: { isOpen: false, traced }, width: 0, height: 0, isFaded: false },
];
const edge = (field: string, subtype: string, to: string): ColumnEdge => ({
  from: { dataset: "a", field },
  to: { dataset: to, field: "x" },
  transformations: SPELT(subtype),
});
const texts = (edges: ColumnEdge[], traced: string[]) =>
  labelsOf({ nodes: drawn(traced), columnEdges: edges }).flatMap((label) =>
    label ? [`${label.slot} ${label.text}`] : [],
  );

test("edges of one column that do the same share a label, however many there are", () => {
  const readers = Array.from({ length: 110 }, (_, index) => edge("id", "IDENTITY", `r${index}`));
  expect(texts(readers, ["id"])).toEqual(["0 identity ×110"]);
  expect(texts([...readers, edge("id", "SORT", "s"), edge("other", "SORT", "s")], ["id", "other"])).toEqual([
    "0 identity ×110",
    "1 sort",
    "0 sort",
  ]);
});

test("a column has at most two labels, and the columns without a row share theirs", () => {
  const kinds = ["IDENTITY", "SORT", "JOIN", "FILTER"].map((kind) => edge("id", kind, kind));
  expect(texts(kinds, ["id"])).toEqual(["0 identity", "1 +3 kinds"]);
  const many = Array.from({ length: 9 }, (_, index) => `c${index}`);
  const flows = many.map((field) => edge(field, "IDENTITY", "b"));
  expect(texts(flows, many)).toEqual([...Array.from({ length: 6 }, () => "0 identity"), "0 identity ×3"]);
});

test("an opened card lists no column that is drawn as lit already", () => {
  const wide: GraphNode = {
    ...nodes[0]!,
    dataset: { fields: ["a", "b", "c"].map((name) => field(name)) } as unknown as DatasetInGraph,
  };
  expect(listedFields(wide, ["b"]).map(({ name }) => name)).toEqual(["a", "c"]);
  expect(heightOf(wide, { isOpen: true, traced: ["a", "b", "c"] })).toBe(
    heightOf(wide, { isOpen: false, traced: ["a", "b", "c"] }),
  );
});
