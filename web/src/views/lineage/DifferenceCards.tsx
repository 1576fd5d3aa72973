/** What differs between two times, as lists: nodes with what changed of them, and edges. */

import { changesOf, type Difference, type DiffNode } from "../../graph/difference";
import { Name } from "../../parts/Name";
import { linkTo } from "../../routing/location";
import { oneLine, shortName, splitNodeId } from "../../text/names";
import { SchemaChanges } from "../node/VersionsTab";
import "../node/node.css";
import "./lineage.css";

export function DifferenceCards({ difference: { nodes, edges } }: { difference: Difference }) {
  return (
    <div className="cards">
      <Nodes title="Changed" nodes={nodes.changed} />
      <Nodes title="Added" nodes={nodes.added} />
      <Nodes title="Removed" nodes={nodes.removed} />
      <Nodes title="Changed and changed back" nodes={nodes.changedBack ?? []} />
      <Edges title="Edges added" edges={edges.added} />
      <Edges title="Edges removed" edges={edges.removed} />
    </div>
  );
}

function Nodes({ title, nodes }: { title: string; nodes: readonly DiffNode[] }) {
  if (!nodes.length) return null;
  return (
    <div className="card">
      <h2>{title}</h2>
      <ul className="list">
        {nodes.map((node) => (
          <li key={node.nodeId}>
            <span className="grow">
              {node.type === "JOB" && <span className="muted">job </span>}
              <Name name={node.name} href={linkTo("node", { nodeId: node.nodeId })} /> <Notes node={node} />
              <SchemaChanges changes={changesOf(node)} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Notes({ node: { isNew, dropped, deleted } }: { node: DiffNode }) {
  const said = [isNew === false && "known before", dropped && "dropped", deleted && "deleted"].filter(Boolean);
  return said.length ? <span className="chip">{said.join(", ")}</span> : null;
}

function Edges({ title, edges }: { title: string; edges: Difference["edges"]["added"] }) {
  if (!edges.length) return null;
  return (
    <div className="card">
      <h2>{title}</h2>
      <ul className="list">
        {edges.map(({ origin, destination }) => (
          <li key={`${origin} ${destination}`}>
            <bdi>{oneLine(shortName(splitNodeId(origin).name))}</bdi> →{" "}
            <bdi>{oneLine(shortName(splitNodeId(destination).name))}</bdi>
          </li>
        ))}
      </ul>
    </div>
  );
}
