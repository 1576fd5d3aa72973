/** Saves the picture as it is seen: SVG, PNG, Mermaid, DOT, JSON. */

import { Icon } from "../../parts/Icon";
import { dot } from "../../picture/dot";
import { mermaid } from "../../picture/mermaid";
import { pngOf } from "../../picture/png";
import { saveBlob, saveText } from "../../picture/save";
import type { Scene } from "../../picture/scene";
import { svgOf } from "../../picture/svg";
import type { Placed } from "../../picture/usePlaces";
import { shortName } from "../../text/names";

export function SaveMenu({ scene, placed, name }: { scene: Scene; placed: Placed | null; name: string }) {
  const file = `lineage-${shortName(name)}`;
  const kinds: [string, () => void][] = [
    ["SVG", () => placed && saveText(`${file}.svg`, svgOf(placed), "image/svg+xml")],
    ["PNG", () => placed && void pngOf(placed).then((blob) => saveBlob(`${file}.png`, blob))],
    ["Mermaid", () => saveText(`${file}.mmd`, mermaid(scene), "text/plain")],
    ["DOT", () => saveText(`${file}.dot`, dot(scene), "text/vnd.graphviz")],
    ["JSON", () => saveText(`${file}.json`, JSON.stringify(asDocument(scene), null, 2), "application/json")],
  ];
  return (
    <details className="menu">
      <summary className="button">
        <Icon name="save" /> <span className="label">Save</span>
      </summary>
      <div className="menu-list">
        {kinds.map(([label, save]) => (
          <button key={label} onClick={save}>
            {label}
          </button>
        ))}
      </div>
    </details>
  );
}

function asDocument({ nodes, edges, columnEdges }: Scene): unknown {
  return {
    nodes: nodes.map(({ node: { id, kind, namespace, name } }) => ({ id, kind, namespace, name })),
    edges: edges.map(({ from, to, count }) => ({ from, to, count })),
    columnEdges,
  };
}
