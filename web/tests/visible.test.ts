import { expect, test } from "vitest";
import type { JobInGraph } from "../src/api/types";
import { EMPTY, type Graph, type GraphNode, withEdges } from "../src/graph/graph";
import { comfortableDepth, FAN, sideKey, visible } from "../src/graph/visible";

function graphOf(...chains: string[][]): Graph {
  const ids = new Set(chains.flat());
  const nodes = new Map(
    [...ids].map((id): [string, GraphNode] => [
      id,
      { id, kind: id.startsWith("j") ? "job" : "dataset", namespace: "n", name: id },
    ]),
  );
  const edges = chains.flatMap((chain) => chain.slice(1).map((to, index) => ({ from: chain[index]!, to })));
  return withEdges({ ...EMPTY, nodes }, edges);
}

const CHAIN = graphOf(["a", "j1", "b", "j2", "c", "j3", "d"]);
const shown = (graph: Graph, up: number, down: number, chosen: [string, number][] = []) =>
  visible(graph, "b", { up, down, chosen: new Map(chosen) });

test("upstream and downstream are bounded apart, a hop is a job and a dataset", () => {
  expect([...shown(CHAIN, 1, 0).ids].sort()).toEqual(["a", "b", "j1"]);
  expect([...shown(CHAIN, 0, 1).ids].sort()).toEqual(["b", "c", "j2"]);
});

test("a handle knows how many nodes it hides", () => {
  expect(shown(CHAIN, 1, 1).hidden).toEqual(new Map([[sideKey("c", "down"), 1]]));
});

test("an opened side goes one edge further, a collapsed side ends", () => {
  expect(shown(CHAIN, 0, 1, [[sideKey("c", "down"), FAN]]).ids.has("j3")).toBe(true);
  expect([...shown(CHAIN, 1, 1, [[sideKey("b", "down"), 0]]).ids].sort()).toEqual(["a", "b", "j1"]);
});

test("of very many readers the first are shown, and the others are counted", () => {
  const readers = Array.from({ length: 1000 }, (_, index) => ["b", `j${index}`]);
  const found = visible(graphOf(...readers), "b", { up: 1, down: 1, chosen: new Map() });
  expect(found.ids.size).toBe(FAN + 1);
  expect(found.hidden.get(sideKey("b", "down"))).toBe(1000 - FAN);
});

test("a cycle ends, and is whole", () => {
  const cycle = graphOf(["b", "j1", "c", "j2", "b"]);
  expect([...shown(cycle, 5, 5).ids].sort()).toEqual(["b", "c", "j1", "j2"]);
});

test("without a wish, a picture stays comfortable", () => {
  const wide = Array.from({ length: 30 }, (_, index) => ["b", `j${index}`, `x${index}`, `jj${index}`, `y${index}`]);
  expect(comfortableDepth(graphOf(...wide), "b")).toBe(1);
  expect(comfortableDepth(CHAIN, "b")).toBe(3);
});

test("a job of an answer that was cut names the datasets that the answer lacks", () => {
  const nodes = new Map(CHAIN.nodes);
  nodes.set("j9", {
    id: "j9",
    kind: "job",
    namespace: "n",
    name: "j9",
    job: { inputs: [], outputs: [{ namespace: "n", name: "far" }] } as unknown as JobInGraph,
  });
  const cut = withEdges({ ...CHAIN, nodes }, [{ from: "d", to: "j9" }]);
  const hidden = (isCut: boolean) =>
    visible(cut, "d", { up: 0, down: 1, chosen: new Map(), isCut }).hidden.get(sideKey("j9", "down"));
  expect([hidden(true), hidden(false)]).toEqual([1, undefined]);
});
