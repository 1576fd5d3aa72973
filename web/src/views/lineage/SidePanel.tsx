/** Beside the picture: the selected node and what one may ask about it, or the provenance of an edge. */

import { type ReactNode, useEffect, useRef } from "react";
import type { ExposureInGraph } from "../../api/types";
import { type Graph, type GraphNode, ownersOf } from "../../graph/graph";
import { conditionOf, freshness, type Mark } from "../../graph/marks";
import { jobsOf } from "../../graph/provenance";
import type { ColumnEdge } from "../../graph/trace";
import { Icon } from "../../parts/Icon";
import { Copy, Name, OutsideName } from "../../parts/Name";
import { State } from "../../parts/State";
import { changeParameters, linkTo } from "../../routing/location";
import { ago, duration, moment } from "../../text/amounts";
import { inertLines, oneLine, splitNodeId } from "../../text/names";
import { SchemaChanges } from "../node/VersionsTab";
import "../node/node.css";
import { useActions } from "./actions";
import type { EdgeOfPicture } from "./Canvas";
import { iconOf } from "./PictureNode";

const TITLES = { dataset: "Dataset", job: "Job", exposure: "Exposure", group: "Group" };

interface Properties {
  node: GraphNode | null;
  edge: EdgeOfPicture | null;
  graph: Graph;
  marks: ReadonlyMap<string, readonly Mark[]>;
  onClose: () => void;
}

export function SidePanel({ node, edge, graph, marks, onClose }: Properties) {
  if (edge)
    return (
      <Panel title="Provenance" onClose={onClose}>
        {"column" in edge ? (
          <OfColumns edge={edge.column} graph={graph} />
        ) : (
          <OfNodes from={edge.flow.from} to={edge.flow.to} graph={graph} />
        )}
      </Panel>
    );
  if (!node) return null;
  return (
    <Panel key={node.id} title={TITLES[node.kind]} onClose={onClose}>
      {node.exposure ? (
        <OfExposure node={node} exposure={node.exposure} />
      ) : (
        <OfNode node={node} marks={marks.get(node.id) ?? []} />
      )}
    </Panel>
  );
}

function Panel({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    // A node that Enter opened has a visible focus, one that was clicked has none.
    if (document.querySelector(".react-flow__node:focus-visible")) panel.current?.focus();
  }, []);
  return (
    <aside ref={panel} tabIndex={-1} className="panel" aria-label={title}>
      <div className="spread">
        <span className="eyebrow">{title}</span>
        <button className="quiet" aria-label="Close" onClick={onClose}>
          <Icon name="cross" />
        </button>
      </div>
      {children}
    </aside>
  );
}

function OfExposure({
  node,
  exposure: { name, displayName, type, url },
}: {
  node: GraphNode;
  exposure: ExposureInGraph;
}) {
  const facts = { Type: type, Owner: ownersOf(node).join(", "), Address: url, "Id in dbt": name };
  return (
    <>
      <h2 className="row">
        <Icon name="exposure" /> <OutsideName name={displayName} url={url} />
      </h2>
      <dl className="facts">
        {Object.entries(facts).map(
          ([title, text]) =>
            text && (
              <div key={title} className="contents">
                <dt>{title}</dt>
                <dd>{oneLine(text)}</dd>
              </div>
            ),
        )}
      </dl>
    </>
  );
}

function NextDue({ node: { due } }: { node: GraphNode }) {
  if (!due?.dueAt) return null;
  return (
    <>
      <dt>Next due</dt>
      <dd title={moment(due.dueAt)}>
        <a href={linkTo("node", { nodeId: due.nodeId, tab: "expected" })}>{ago(due.dueAt)}</a>{" "}
        <State state={due.state} />
      </dd>
    </>
  );
}

function OfNode({ node, marks }: { node: GraphNode; marks: readonly Mark[] }) {
  const { toggleColumns, expand } = useActions();
  const run = node.job?.latestRun;
  const nodeId = node.id;
  return (
    <>
      <h2 className="row">
        <Icon name={iconOf(node.kind, node.dataset?.datasetType)} />
        <Name name={node.name} called={node.displayName} />
        <Copy text={node.name} label="Copy the full name" />
      </h2>
      <div className="row">
        {node.job && <State state={run?.outcome} />}
        {node.dataset?.caution && <span className="chip bad">{oneLine(node.dataset.caution)}</span>}
        {marks.map((mark) => (
          <span key={mark.text} className={`chip ${mark.tone}`}>
            {mark.text}
          </span>
        ))}
      </div>
      <SchemaChanges changes={marks.flatMap(({ changes }) => changes ?? [])} />
      <dl className="facts">
        <dt>Namespace</dt>
        <dd>{oneLine(node.namespace)}</dd>
        <dt>{node.kind === "job" ? "Last run" : "Last write"}</dt>
        <dd title={moment(freshness(node))}>
          {run ? (
            <a href={linkTo("run", { id: run.id })}>{conditionOf(node).text}</a>
          ) : node.kind === "job" ? (
            conditionOf(node).text
          ) : (
            (freshness(node) && ago(freshness(node))) || "none known"
          )}
        </dd>
        <NextDue node={node} />
        {ownersOf(node).length > 0 && (
          <>
            <dt>Owner</dt>
            <dd>
              {ownersOf(node).map((owner) => (
                <div key={owner}>
                  <a href={linkTo("label", { type: "OWNER", name: owner })}>{oneLine(owner)}</a>
                </div>
              ))}
            </dd>
          </>
        )}
        {run?.durationMs != null && (
          <>
            <dt>Duration</dt>
            <dd>{duration(run.durationMs)}</dd>
          </>
        )}
        {node.job?.parentJobName && (
          <>
            <dt>Application</dt>
            <dd>{oneLine(node.job.parentJobName)}</dd>
          </>
        )}
        {(node.dataset?.description ?? node.job?.description) && (
          <>
            <dt>Description</dt>
            <dd className="prose">{inertLines(node.dataset?.description ?? node.job?.description ?? "")}</dd>
          </>
        )}
      </dl>
      <div className="actions">
        <a className="button primary" href={linkTo("node", { nodeId })}>
          <Icon name="open" /> Open its page
        </a>
        {node.dataset && node.dataset.fields.length > 0 && (
          <button onClick={() => toggleColumns(nodeId)}>
            <Icon name="column" /> Columns
          </button>
        )}
        <button onClick={() => changeParameters({ nodeId, table: null, column: null, up: null, down: null })}>
          <Icon name="fit" /> Make it the centre
        </button>
        <button onClick={() => expand(nodeId, "up")}>
          <Icon name="left" /> More upstream
        </button>
        <button onClick={() => expand(nodeId, "down")}>
          <Icon name="right" /> More downstream
        </button>
        <a className="button" href={linkTo("why", { nodeId })}>
          <Icon name="why" /> Why is it wrong?
        </a>
        {node.dataset && (
          <a className="button" href={linkTo("impact", { nodeId })}>
            <Icon name="impact" /> What would a change break?
          </a>
        )}
      </div>
    </>
  );
}

function OfNodes({ from, to, graph }: { from: string; to: string; graph: Graph }) {
  const job = [from, to].map((id) => graph.nodes.get(id)).find((node) => node?.job);
  return (
    <>
      <p>
        <NodeName id={from} graph={graph} /> <span className="muted">→</span> <NodeName id={to} graph={graph} />
      </p>
      {job ? <OfJob job={job} /> : <p className="muted">Declared by an event about the dataset, without a job.</p>}
    </>
  );
}

function NodeName({ id, graph }: { id: string; graph: Graph }) {
  const { name, displayName } = graph.nodes.get(id) ?? { name: splitNodeId(id).name };
  return <Name name={name} called={displayName} />;
}

function OfColumns({ edge, graph }: { edge: ColumnEdge; graph: Graph }) {
  return (
    <>
      <p>
        <Name name={`${splitNodeId(edge.from.dataset).name}.${edge.from.field}`} short={edge.from.field} />{" "}
        <span className="muted">→</span>{" "}
        <Name
          name={`${splitNodeId(edge.to.dataset).name}.${edge.to.field ?? "all columns"}`}
          short={edge.to.field ?? "all columns"}
        />
      </p>
      <ul className="list">
        {edge.transformations.map((transformation, index) => (
          <li key={index}>
            <span className={`chip ${transformation.type === "INDIRECT" ? "warn" : "good"}`}>
              {transformation.type.toLowerCase()}
            </span>
            <span className="grow">
              {oneLine(transformation.subtype.toLowerCase().replaceAll("_", " "))}
              {transformation.description && <div className="muted inert">{oneLine(transformation.description)}</div>}
            </span>
            {transformation.masking && (
              <span className="chip">
                <Icon name="shield" /> masked
              </span>
            )}
          </li>
        ))}
      </ul>
      {jobsOf(graph, edge.from.dataset, edge.to.dataset).map((job) => (
        <OfJob key={job.id} job={job} />
      ))}
    </>
  );
}

function OfJob({ job }: { job: GraphNode }) {
  const run = job.job?.latestRun;
  return (
    <dl className="facts">
      <dt>Job</dt>
      <dd>
        <Name name={job.name} href={linkTo("node", { nodeId: job.id })} />
      </dd>
      <dt>Newest run</dt>
      <dd>
        {run ? <a href={linkTo("run", { id: run.id })}>{run.id.slice(0, 8)}</a> : "none"}{" "}
        {run && <State state={run.outcome} />}
      </dd>
      <dt>Last seen</dt>
      <dd>{moment(run?.endedAt ?? run?.updatedAt ?? job.job?.updatedAt)}</dd>
    </dl>
  );
}
