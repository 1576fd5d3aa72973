/** The picture as a Mermaid flowchart, which GitHub and GitLab draw. */

import type { Scene } from "./scene";
import { labelsOf } from "./texts";

export function mermaid(scene: Scene): string {
  const labels = labelsOf(scene);
  const ids = new Map(scene.nodes.map(({ node }, index) => [node.id, `n${index}`]));
  const nodes = scene.nodes.map(({ node }) => {
    const label = `"${escaped(labels.get(node.id) ?? "")}"`;
    return `  ${ids.get(node.id)}${node.kind === "job" ? `([${label}])` : `[${label}]`}`;
  });
  const edges = scene.edges.map(({ from, to }) => `  ${ids.get(from)} --> ${ids.get(to)}`);
  return ["flowchart LR", ...nodes, ...edges, ""].join("\n");
}

function escaped(text: string): string {
  return text.replace(/[^\w .,/:-]/gu, (character) => `#${character.codePointAt(0)};`);
}
