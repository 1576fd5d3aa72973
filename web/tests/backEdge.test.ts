import { expect, test } from "vitest";
import { edgeKey, lanesOf, pathBack } from "../src/graph/backEdge";
import { layersOf } from "../src/graph/layers";
import { CLOSED } from "../src/graph/sizes";
import { waysOf } from "../src/views/lineage/FarPicture";

const BOX = { width: 100, height: 50 };
const CHAIN = ["a", "j", "b"].map((id) => ({ id, ...BOX }));
const PLACES = new Map([
  ["a", { x: 0, y: 0 }],
  ["j", { x: 200, y: 80 }],
  ["b", { x: 400, y: 0 }],
]);

test("an edge that leads back passes below all nodes between its ends; others have no lane", () => {
  const back = { from: "b", to: "a" };
  const lanes = lanesOf(CHAIN, PLACES, [{ from: "a", to: "j" }, { from: "j", to: "b" }, back]);
  expect([...lanes.keys()]).toEqual([edgeKey(back)]);
  expect(lanes.get(edgeKey(back))).toBeGreaterThan(80 + BOX.height);
});

test("two ways back are apart", () => {
  const lanes = lanesOf(CHAIN, PLACES, [
    { from: "b", to: "a" },
    { from: "b", to: "j" },
  ]);
  expect(new Set(lanes.values()).size).toBe(2);
});

test("a way back begins and ends where its nodes have their handles", () => {
  expect(pathBack(500, 29, 0, 29, 200)).toMatch(/^M500 29Q.* 0 29$/);
});

test("a layout of many nodes begins at 0, so that an export has all of them", () => {
  const fan = Array.from({ length: 70 }, (_, index) => ({ id: `t${index}`, ...BOX }));
  const places = layersOf(
    fan,
    fan.slice(1).map(({ id }) => ({ from: "t0", to: id })),
  );
  expect(Math.min(...[...places.values()].map(({ y }) => y))).toBe(0);
});

test("from afar, too, a way back goes around the nodes", () => {
  const nodes = CHAIN.map(({ id, ...size }) => ({
    node: { id, kind: "group" as const, namespace: "", name: id },
    opening: CLOSED,
    isFaded: false,
    ...size,
  }));
  const edge = { count: 1, isFaded: false };
  const edges = [
    { from: "a", to: "j", ...edge },
    { from: "j", to: "b", ...edge },
    { from: "b", to: "a", ...edge },
  ];
  const ways = waysOf({ scene: { nodes, edges, columnEdges: [] }, places: PLACES });
  expect(ways.on).toEqual(["M100 29L200 109", "M300 109L400 29"]);
  expect(ways.back).toHaveLength(1);
  expect(ways.back[0]).toMatch(/^M500 29Q.* 0 29$/);
});
