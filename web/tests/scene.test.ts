import { expect, test } from "vitest";
import type { DatasetInGraph } from "../src/api/types";
import { matches, NO_FILTER } from "../src/graph/filter";
import { EMPTY, type Graph, type GraphNode, withEdges } from "../src/graph/graph";
import { picture } from "../src/graph/groups";
import { changesBetween } from "../src/graph/schema";
import { heightOf, MOST_ROWS } from "../src/graph/sizes";
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
