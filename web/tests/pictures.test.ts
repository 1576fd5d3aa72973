import { expect, test } from "vitest";
import type { GraphNode } from "../src/graph/graph";
import { csv } from "../src/picture/csv";
import { impactMarkdown } from "../src/picture/markdown";
import type { Scene } from "../src/picture/scene";
import { svgOf } from "../src/picture/svg";

const HOSTILE = '<script>"]; evil --> x[`\n';
const node = (id: string, kind: GraphNode["kind"], name: string) => ({
  node: { id, kind, namespace: "n", name },
  opening: { isOpen: false, traced: [] },
  width: 200,
  height: 60,
  isFaded: false,
});
const SCENE: Scene = {
  nodes: [node("a", "dataset", HOSTILE), node("b", "job", "step")],
  edges: [{ from: "a", to: "b", count: 1, isFaded: false }],
  columnEdges: [],
};

const NONE = { columns: 0, datasets: 0, jobs: 0 };
const BREAKS = { ...NONE, possible: NONE, by: null, sentence: "It breaks 1 column." };

test("SVG: names are text, and never elements", () => {
  const svg = svgOf({
    scene: SCENE,
    places: new Map([
      ["a", { x: 0, y: 0 }],
      ["b", { x: 300, y: 0 }],
    ]),
  });
  expect(svg).not.toContain("<script>");
  expect(svg).toContain("&lt;script&gt;");
});

test("SVG: an edge of a column says what it does, and a filter is dashed", () => {
  const from = { dataset: "a", field: "x" };
  const to = { dataset: "b", field: "y" };
  const how = (type: "DIRECT" | "INDIRECT", subtype: string) => ({
    from,
    to,
    transformations: [{ type, subtype, description: "", masking: false }],
  });
  const scene: Scene = { ...SCENE, columnEdges: [how("DIRECT", "IDENTITY"), how("INDIRECT", "FILTER")] };
  const svg = svgOf({
    scene,
    places: new Map([
      ["a", { x: 0, y: 0 }],
      ["b", { x: 500, y: 0 }],
    ]),
  });
  expect(svg).toMatch(/<g><title>x → y: identity<\/title><path (?!.*dasharray).*<\/g>/);
  expect(svg).toMatch(/<g><title>x → y: filter<\/title><path .*stroke-dasharray="5 4".*<\/g>/);
  for (const label of ["identity", "filter"]) expect(svg).toContain(`>${label}</text>`);
});

test("SVG: what failed, what a caution says, what changed and which columns are of unknown origin", () => {
  const table = { ...node("a", "dataset", "lake/orders"), opening: { isOpen: false, traced: ["x", "y"] } };
  const dataset = { fields: [], tags: [], caution: "no successful write" };
  const run = { outcome: "FAILED", endedAt: new Date().toISOString() };
  const scene = {
    ...SCENE,
    nodes: [
      { ...table, node: { ...table.node, displayName: "sales.orders", dataset } },
      { ...node("b", "job", "step"), node: { ...node("b", "job", "step").node, job: { latestRun: run } } },
    ],
  } as unknown as Scene;
  const places = new Map([
    ["a", { x: 0, y: 100 }],
    ["b", { x: 300, y: 0 }],
  ]);
  const plain = svgOf({ scene, places });
  expect(plain).toContain('#b02a30">0 columns · no successful …</text>');
  expect(plain).toContain("failed · just now</text>");
  expect(plain).toMatch(/>sales.orders<\/text><text [^>]*>lake\/orders<\/text>/);
  expect(Number(/<text x="14" y="(\d+)"[^>]*>y</.exec(plain)?.[1])).toBeGreaterThan(180); // below the head of its card
  expect(plain).not.toContain("origin unknown");
  const reason = "origin unknown: job step does not say what it is made of";
  const told = svgOf(
    { scene, places },
    {
      marks: new Map([["b", [{ tone: "warn", text: "code changed" }]]]),
      unknown: new Map([["a", new Map([["y", reason]])]]),
    },
  );
  expect(told).toContain(">code changed</text>");
  expect(told.split(`<title>${reason}</title>`)).toHaveLength(2);
  expect(told).toContain(">origin unknown: no column lineage tells what the column is made of</text>");
  expect(told).not.toContain("dashed:");
});

test("SVG: a dashboard is called by its name, with its type and owner", () => {
  const board = node("b", "exposure", "exposure.shop.weekly");
  const exposure = { displayName: "Weekly", type: "dashboard", url: "https://bi.example.com/1", owners: ["finance"] };
  const drawn = {
    ...board,
    node: { ...board.node, displayName: "Weekly", exposure },
  } as unknown as Scene["nodes"][number];
  const svg = svgOf({ scene: { ...SCENE, nodes: [drawn], edges: [] }, places: new Map([["b", { x: 0, y: 0 }]]) });
  expect(svg).toContain(">Weekly</text>");
  expect(svg).toContain(">dashboard · finance</text>");
});

test("CSV: quotes are doubled, and a formula is inert", () => {
  const columns = [
    { name: "name", value: (row: string) => row },
    { name: "length", value: (row: string) => -row.length },
  ];
  expect(csv(columns, ['a "b", c', "=1+1"])).toBe('name,length\r\n"a ""b"", c",-8\r\n\'=1+1,-4\r\n');
  expect(csv(columns, ["\uff1d1", "\n=1"])).toBe("name,length\r\n'\uff1d1,-2\r\n\"'\n=1\",-3\r\n");
});

test("Markdown: what an event calls a transformation is text", () => {
  const transformations = [
    { type: "DIRECT" as const, subtype: "<img src=x> [l](http://e)", description: "", masking: false },
  ];
  const item = {
    nodeId: "datasetField:n:t:c",
    type: "DATASET_FIELD" as const,
    distance: 1,
    by: "column" as const,
    indirect: false,
    path: [],
    transformations,
  };
  const text = impactMarkdown(
    { nodeId: "x", totalCount: 1, breaks: BREAKS, owners: [{ owner: null, items: [item] }] },
    "orders.price",
  );
  expect(text).toContain("\\<img src=x\\> \\[l\\]\\(http://e\\)");
});

test("Markdown: a dashboard is told by its name and its address", () => {
  const item = {
    nodeId: "exposure:n:exposure.shop.weekly",
    type: "EXPOSURE" as const,
    distance: 2,
    by: "dataset" as const,
    indirect: false,
    possible: true,
    path: [],
    exposure: { id: "exposure.shop.weekly", name: "Weekly", type: "dashboard", url: "https://bi.example.com/1" },
  };
  const owners = [{ owner: "finance", items: [item] }];
  const text = impactMarkdown({ nodeId: "x", totalCount: 1, breaks: BREAKS, owners }, "orders.price");
  expect(text).toContain("- `Weekly`, 2 hops, dashboard, https://bi.example.com/1, may use it");
});

test("Markdown: names are code, owners are text", () => {
  const item = {
    nodeId: `dataset:n:${HOSTILE}`,
    type: "DATASET" as const,
    distance: 1,
    by: "dataset" as const,
    indirect: false,
    path: [],
  };
  const text = impactMarkdown(
    {
      nodeId: "x",
      totalCount: 1,
      breaks: BREAKS,
      owners: [
        { owner: "*boss*", items: [item] },
        { owner: null, items: [] },
      ],
    },
    "orders.price",
  );
  expect(text).toContain("### Impact of changing `orders.price`");
  expect(text).toContain("**\\*boss\\***");
  expect(text).toContain("**no owner**");
  expect(text).toMatch(/- `` n:<script>"\]; evil --> x\[`\ufffd ``, 1 hop, may use it/);
});
