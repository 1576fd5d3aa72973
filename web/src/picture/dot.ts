/** The picture in Graphviz's language. */

import type { Scene } from "./scene";
import { labelsOf } from "./texts";

export function dot(scene: Scene): string {
  const labels = labelsOf(scene);
  const nodes = scene.nodes.map(
    ({ node }) =>
      `  ${quoted(node.id)} [label=${quoted(labels.get(node.id) ?? "")}, shape=${node.kind === "job" ? "oval" : "box"}];`,
  );
  const edges = scene.edges.map(({ from, to }) => `  ${quoted(from)} -> ${quoted(to)};`);
  return ["digraph lineage {", "  rankdir=LR;", ...nodes, ...edges, "}", ""].join("\n");
}

function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}
