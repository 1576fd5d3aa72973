/** Above the picture while two times are compared: what was added, removed and changed since, as a list. */

import type { Lookup } from "../../api/useLookup";
import type { Difference, DiffNode } from "../../graph/difference";
import { Icon } from "../../parts/Icon";
import { Name } from "../../parts/Name";
import { changeParameters, linkTo } from "../../routing/location";
import { counted, moment } from "../../text/amounts";
import { oneLine, shortName, splitNodeId } from "../../text/names";
import { SchemaChanges } from "../node/VersionsTab";
import "../node/node.css";

export function DifferenceBar({ lookup, since }: { lookup: Lookup<Difference | null>; since: string }) {
  const found = lookup.state === "done" ? lookup.value : null;
  return (
    <details className="difference">
      <summary>
        <span role="status">
          <Icon name="change" /> Since <b>{moment(since)}</b>
          {lookup.state === "loading" && " …"}
          {lookup.state === "failed" && `: ${lookup.error.message}`}
          {found && `: ${summary(found)}`}
          {found?.truncated && ", cut"}
        </span>
        <span className="push" />
        <input
          type="datetime-local"
          aria-label="Compare with, in UTC"
          value={since.slice(0, 16)}
          onClick={(event) => event.stopPropagation()}
          onChange={(event) => event.target.value && changeParameters({ since: `${event.target.value}:00Z` })}
        />
        <button
          onClick={(event) => {
            event.preventDefault();
            changeParameters({ since: null });
          }}
        >
          Done
        </button>
      </summary>
      {found && (
        <div className="cards">
          <Nodes title="Changed" nodes={found.nodes.changed} />
          <Nodes title="Added" nodes={found.nodes.added} />
          <Nodes title="Removed" nodes={found.nodes.removed} />
          <Edges title="Edges added" edges={found.edges.added} />
          <Edges title="Edges removed" edges={found.edges.removed} />
        </div>
      )}
    </details>
  );
}

function summary({ nodes, edges }: Difference): string {
  const parts = [
    [nodes.changed.length, "dataset changed", "datasets changed"],
    [nodes.added.length, "node added", "nodes added"],
    [nodes.removed.length, "node removed", "nodes removed"],
    [edges.added.length, "edge added", "edges added"],
    [edges.removed.length, "edge removed", "edges removed"],
  ] as const;
  const said = parts.filter(([amount]) => amount > 0).map(([amount, one, many]) => counted(amount, one, many));
  return said.length ? said.join(", ") : "nothing changed";
}

function Nodes({ title, nodes }: { title: string; nodes: readonly DiffNode[] }) {
  if (!nodes.length) return null;
  return (
    <div className="card">
      <h2>{title}</h2>
      <ul className="list">
        {nodes.map(({ nodeId, name, columns }) => (
          <li key={nodeId}>
            <span className="grow">
              <Name name={name} href={linkTo("node", { nodeId })} />
              {columns && (
                <SchemaChanges
                  changes={[
                    ...columns.added.map(({ field, type }) => ({
                      kind: "added" as const,
                      field,
                      before: null,
                      after: type,
                    })),
                    ...columns.removed.map(({ field, type }) => ({
                      kind: "removed" as const,
                      field,
                      before: type,
                      after: null,
                    })),
                    ...columns.retyped.map(({ field, before, after }) => ({
                      kind: "retyped" as const,
                      field,
                      before,
                      after,
                    })),
                  ]}
                />
              )}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Edges({ title, edges }: { title: string; edges: readonly { origin: string; destination: string }[] }) {
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
