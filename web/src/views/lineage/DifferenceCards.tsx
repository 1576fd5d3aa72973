/** What differs between two times, as lists: nodes with what changed of them, and edges. */

import { type ReactNode, useState } from "react";
import { changesOf, type Difference, type DiffNode } from "../../graph/difference";
import { Name } from "../../parts/Name";
import { linkTo } from "../../routing/location";
import { count } from "../../text/amounts";
import { calledShort, oneLine, splitNodeId } from "../../text/names";
import { SchemaChanges } from "../node/VersionsTab";
import "../node/node.css";
import "./lineage.css";

/** So many lines of a list are shown at first, and with each click on "more". */
const STEP = 40;

export function DifferenceCards({ difference: { nodes, edges } }: { difference: Difference }) {
  const edgeLine = edgeLineWith([...nodes.added, ...nodes.removed, ...nodes.changed]);
  return (
    <div className="cards">
      <Card title="Changed" rows={nodes.changed} line={nodeLine} />
      <Card title="Added" rows={nodes.added} line={nodeLine} />
      <Card title="Removed" rows={nodes.removed} line={nodeLine} />
      <Card title="Changed and changed back" rows={nodes.changedBack ?? []} line={nodeLine} />
      <Card title="Edges added" rows={edges.added} line={edgeLine} />
      <Card title="Edges removed" rows={edges.removed} line={edgeLine} />
    </div>
  );
}

function Card<Row>({ title, rows, line }: { title: string; rows: readonly Row[]; line: (row: Row) => ReactNode }) {
  const [limit, setLimit] = useState(STEP);
  if (!rows.length) return null;
  return (
    <div className="card">
      <h2>{title}</h2>
      <ul className="list">{rows.slice(0, limit).map(line)}</ul>
      {rows.length > limit && (
        <button onClick={() => setLimit(limit + STEP)}>
          Show {count(Math.min(STEP, rows.length - limit))} more of {count(rows.length - limit)}
        </button>
      )}
    </div>
  );
}

function nodeLine(node: DiffNode): ReactNode {
  return (
    <li key={node.nodeId}>
      <span className="grow">
        {node.type === "JOB" && <span className="muted">job </span>}
        <Name name={node.name} called={node.displayName} href={linkTo("node", { nodeId: node.nodeId })} />{" "}
        <Notes node={node} />
        <SchemaChanges changes={changesOf(node)} />
      </span>
    </li>
  );
}

function Notes({ node: { isNew, dropped, deleted } }: { node: DiffNode }) {
  const said = [isNew === false && "known before", dropped && "dropped", deleted && "deleted"].filter(Boolean);
  return said.length ? <span className="chip">{said.join(", ")}</span> : null;
}

/** The line of an edge, with what its ends are called. */
function edgeLineWith(nodes: readonly DiffNode[]): (edge: Difference["edges"]["added"][number]) => ReactNode {
  const known = new Map(nodes.map((node) => [node.nodeId, node]));
  const called = (nodeId: string): string => oneLine(calledShort(known.get(nodeId) ?? splitNodeId(nodeId)));
  return ({ origin, destination }) => (
    <li key={`${origin} ${destination}`}>
      <bdi>{called(origin)}</bdi> → <bdi>{called(destination)}</bdi>
    </li>
  );
}
