import { expect, test } from "vitest";
import type { Edge } from "../src/graph/graph";
import { layersOf } from "../src/graph/layers";

const sized = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `n${index}`, width: 200, height: 60 }));
const edge = (from: number, to: number): Edge => ({ from: `n${from}`, to: `n${to}` });

test("an output is to the right of each of its inputs", () => {
  const edges = [edge(0, 2), edge(1, 2), edge(2, 3), edge(0, 3)];
  const places = layersOf(sized(4), edges);
  for (const { from, to } of edges) expect(places.get(from)!.x).toBeLessThan(places.get(to)!.x);
});

test("a cycle and an edge to itself are placed, too", () => {
  const places = layersOf(sized(4), [edge(0, 1), edge(1, 2), edge(2, 0), edge(3, 3)]);
  expect(places.size).toBe(4);
  expect(places.get("n0")!.x).toBeLessThan(places.get("n2")!.x);
});

test("no two nodes overlap, of 5,000 in less than a second", () => {
  const count = 5000;
  const edges = Array.from({ length: 2 * count }, (_, index) => edge(index % count, (index * 7919 + 13) % count));
  const start = process.cpuUsage();
  const places = layersOf(sized(count), edges);
  const { user, system } = process.cpuUsage(start);
  expect((user + system) / 1000).toBeLessThan(1000);
  expect(new Set([...places.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(count);
});
