import { expect, test } from "vitest";
import type { ListedDataset } from "../src/api/types";
import { percent } from "../src/text/amounts";
import {
  byNamespace,
  byOwner,
  type Covered,
  covered,
  isIn,
  KINDS,
  type Kind,
  kindOf,
} from "../src/views/coverage/coverage";

const NOW = Date.parse("2026-11-20T08:00:00Z");
const dataset = (name: string, of: Partial<Covered> = {}): Covered => ({
  namespace: "lake",
  name,
  owners: [],
  ownersFrom: null,
  hasColumns: false,
  lastWrittenAt: null,
  isRead: true,
  unseen: "",
  ...of,
});
const names = (kind: Kind, datasets: Covered[]): string[] =>
  datasets.filter((each) => KINDS[kind].has(each, NOW)).map(({ name }) => name);

test("a derived owner counts as an owner, and is known by its job", () => {
  const facets = {
    ownership: { owners: [{ name: "ann" }], headwater_derivedFrom: { namespace: "demo", name: "load" } },
  };
  const listed = {
    namespace: "lake",
    name: "out",
    columnLineage: null,
    facets,
    lastWrittenAt: null,
    isRead: false,
  } as unknown as ListedDataset;
  expect(covered(listed)).toEqual(dataset("out", { owners: ["ann"], ownersFrom: "load", isRead: false }));
});

test("stale is what jobs write, but not of late; a dataset that no job writes is not stale", () => {
  const written = (name: string, lastWrittenAt: string | null) => dataset(name, { lastWrittenAt });
  expect(
    names("stale", [
      written("old", "2026-10-01T08:00:00Z"),
      written("new", "2026-11-19T08:00:00Z"),
      written("source", null),
    ]),
  ).toEqual(["old"]);
});

test("each list and its opposite have every dataset once", () => {
  const datasets = [
    dataset("a", { hasColumns: true }),
    dataset("b", { owners: ["ann"] }),
    dataset("c", { isRead: false }),
  ];
  for (const [list, opposite] of [
    ["columns", "no-columns"],
    ["owner", "no-owner"],
  ] as const)
    expect([...names(list, datasets), ...names(opposite, datasets)].sort()).toEqual(names("all", datasets));
  expect(names("unread", datasets)).toEqual(["c"]);
});

test("a dataset of two owners counts for both, and those of nobody are the last row", () => {
  const datasets = [dataset("a", { owners: ["bea", "ann"] }), dataset("b"), dataset("c", { owners: ["ann"] })];
  expect(byOwner(datasets).map(({ part, datasets: same }) => [part.owner, same.map(({ name }) => name)])).toEqual([
    ["ann", ["a", "c"]],
    ["bea", ["a"]],
    [null, ["b"]],
  ]);
});

test("the rows of namespaces and their lists are the same datasets", () => {
  const datasets = [dataset("a"), dataset("b", { namespace: "bank" }), dataset("c")];
  for (const row of byNamespace(datasets))
    expect(datasets.filter((each) => isIn(row.part, each))).toEqual(row.datasets);
  for (const row of byOwner(datasets)) expect(datasets.filter((each) => isIn(row.part, each))).toEqual(row.datasets);
});

test("a list that a link misspells is no list", () => {
  expect([kindOf("stale"), kindOf("toString"), kindOf(null)]).toEqual(["stale", null, null]);
});

test("a share that is neither nothing nor all is shown as neither", () => {
  expect([0, 1 / 1000, 1 / 3, 999 / 1000, 1].map(percent)).toEqual(["0 %", "< 1 %", "33 %", "> 99 %", "100 %"]);
});
