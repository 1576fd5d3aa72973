/** Labels of a picture that leaves the page: short names, as on the screen. */

import { oneLine, shortNames } from "../text/names";
import type { Scene } from "../views/lineage/scene";

export function labelsOf(scene: Scene): Map<string, string> {
  const short = shortNames(scene.nodes.map(({ node }) => node.name));
  return new Map(scene.nodes.map(({ node }) => [node.id, oneLine(short.get(node.name) ?? node.name)]));
}
