import { expect, test } from "vitest";
import { pathTo } from "../src/graph/edgePath";
import { EMPTY, type Graph, type GraphNode, withEdges } from "../src/graph/graph";

function graphOf(...edges: [string, string][]): Graph {
  const ids = new Set(edges.flat());
  const nodes = new Map(
    [...ids].map((id): [string, GraphNode] => [id, { id, kind: "dataset", namespace: "n", name: id }]),
  );
  return withEdges(
    { ...EMPTY, nodes },
    edges.map(([from, to]) => ({ from, to })),
  );
}

test("the path holds what is between the findings and the centre, and no other branch", () => {
  const graph = graphOf(["a", "b"], ["b", "centre"], ["other", "b"], ["c", "centre"]);
  expect([...pathTo(graph, "centre", ["a"])].sort()).toEqual(["a", "b", "centre"]);
});

test("a cycle ends, and a finding of a node that is not in the graph adds nothing", () => {
  const graph = graphOf(["a", "b"], ["b", "a"], ["b", "centre"]);
  expect([...pathTo(graph, "centre", ["a", "unknown"])].sort()).toEqual(["a", "b", "centre"]);
});
