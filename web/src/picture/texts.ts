/** Labels of a picture that leaves the page: short names, as on the screen. */

import { oneLine, shortNames } from "../text/names";
import type { Scene } from "./scene";

/** What draws a diagram refuses a long text: Mermaid one of 50,000 characters, of all nodes. */
const MOST = 120;

export function labelsOf(scene: Scene): Map<string, string> {
  const short = shortNames(scene.nodes.map(({ node }) => node.name));
  return new Map(scene.nodes.map(({ node }) => [node.id, cut(oneLine(short.get(node.name) ?? node.name))]));
}

function cut(text: string): string {
  return text.length > MOST ? `${text.slice(0, MOST - 1)}…` : text;
}
