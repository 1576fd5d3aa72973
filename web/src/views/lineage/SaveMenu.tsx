/** Saves the picture as it is seen, as SVG, PNG or JSON, and its graph as the API writes it, as Mermaid or DOT. */

import { useState } from "react";
import { originsOf } from "../../api/origins";
import { getText } from "../../api/request";
import { Icon } from "../../parts/Icon";
import { pngOf } from "../../picture/png";
import { saveBlob, saveText } from "../../picture/save";
import type { Scene } from "../../picture/scene";
import { svgOf, type Told } from "../../picture/svg";
import type { Placed } from "../../picture/usePlaces";
import { shortName, splitNodeId } from "../../text/names";
import { useActions } from "./actions";
import { exportQuery, type LineageParameters } from "./parameters";

interface Properties {
  wanted: LineageParameters;
  depth: { up: number; down: number };
  scene: Scene;
  placed: Placed | null;
}

/** A format, and what saves it. */
type Kind = [string, () => unknown];

export function SaveMenu({ wanted, depth, scene, placed }: Properties) {
  const file = `lineage-${shortName(splitNodeId(wanted.wish.nodeId).name)}`;
  const written = (format: string): Promise<string> => getText("export", { ...exportQuery(wanted, depth), format });
  const { marks, unknown } = useActions();
  /** What the cards tell beside their names; of opened cards also which of their columns are of unknown origin. */
  const told = async (): Promise<Told> => {
    const opened = scene.nodes.filter(({ opening }) => opening.isOpen).map(({ node }) => node.id);
    return { marks, unknown: new Map([...unknown, ...(await originsOf(opened, wanted.wish.asOf))]) };
  };
  const asSeen: Kind[] = [
    ["SVG", async () => placed && saveText(`${file}.svg`, svgOf(placed, await told()), "image/svg+xml")],
    ["PNG", async () => placed && saveBlob(`${file}.png`, await pngOf(placed, await told()))],
    ["JSON", () => saveText(`${file}.json`, JSON.stringify(asDocument(scene), null, 2), "application/json")],
  ];
  const asWritten: Kind[] = [
    ["Mermaid", async () => saveText(`${file}.mmd`, await written("mermaid"), "text/plain")],
    ["DOT", async () => saveText(`${file}.dot`, await written("dot"), "text/vnd.graphviz")],
  ];
  return (
    <details className="menu">
      <summary className="button">
        <Icon name="save" /> <span className="label">Save</span>
      </summary>
      <div className="menu-list">
        <Group title="As you see it" kinds={asSeen} />
        <Group title="As the API has it" kinds={asWritten} />
      </div>
    </details>
  );
}

function Group({ title, kinds }: { title: string; kinds: readonly Kind[] }) {
  const [failure, setFailure] = useState<string | null>(null);
  const save = async (make: Kind[1]): Promise<void> => {
    setFailure(null);
    try {
      await make();
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <div role="group" aria-label={title}>
      <span className="eyebrow">{title}</span>
      {kinds.map(([kind, make]) => (
        <button key={kind} onClick={() => void save(make)}>
          {kind}
        </button>
      ))}
      {failure && (
        <p role="alert" className="inert">
          {failure}
        </p>
      )}
    </div>
  );
}

function asDocument({ nodes, edges, columnEdges }: Scene): unknown {
  return {
    nodes: nodes.map(({ node: { id, kind, namespace, name } }) => ({ id, kind, namespace, name })),
    edges: edges.map(({ from, to, count }) => ({ from, to, count })),
    columnEdges,
  };
}
