/** A run: its state and error, its parent and children, its inputs with their versions, its outputs, its facets. */

import { useState } from "react";
import { get, pathOf } from "../../api/request";
import type { DatasetVersionOfRun, Environment, Run } from "../../api/types";
import { useLookup } from "../../api/useLookup";
import { Empty, Loaded } from "../../parts/Feedback";
import { Copy, Name } from "../../parts/Name";
import { State } from "../../parts/State";
import { useTitle } from "../../parts/useTitle";
import { linkTo } from "../../routing/location";
import { count, counted, duration, moment } from "../../text/amounts";
import { inertLines, nodeIdOf, oneLine, shortName } from "../../text/names";
import { FacetsTab } from "../node/FacetsTab";
import { Tag } from "../node/TagList";
import "../node/node.css";
import { CodeOfRun } from "./CodeOfRun";
import { GoodRun } from "./GoodRun";
import { RawEvents } from "./RawEvents";
import { RunTable } from "./RunTable";
import { RuntimeOfRun } from "./RuntimeOfRun";
import { errorOf } from "./statistics";

interface Found {
  run: Run;
  children: Run[];
}

export default function RunView({ parameters }: { parameters: URLSearchParams }) {
  const id = parameters.get("id") ?? "";
  const lookup = useLookup(id, (signal) => find(id, signal));
  if (!id) return <Empty>No run is named in this link.</Empty>;
  return (
    <Loaded lookup={lookup} what="the run">
      {(found) => <RunPage key={found.run.id} {...found} again={lookup.again} />}
    </Loaded>
  );
}

async function find(id: string, signal: AbortSignal): Promise<Found> {
  const path = pathOf("jobs", "runs", id);
  const [run, children] = await Promise.all([
    get<Run>(path, {}, signal),
    get<{ runs: Run[] }>(`${path}/children`, { limit: 200 }, signal),
  ]);
  return { run, children: children.runs };
}

function RunPage({ run, children, again }: Found & { again: () => void }) {
  // What the producer of a run that went well says of an error stands among its facets: nothing failed.
  const error = run.message ? errorOf(run) : null;
  useTitle(run.job ? shortName(run.job.name) : run.id);
  const parent = run.facets.parent as { run?: { runId?: string }; job?: { name?: string } } | undefined;
  const nodeId = run.job ? nodeIdOf("job", run.job.namespace, run.job.name) : "";
  return (
    <section className="sheet">
      <header className="node-head">
        <span className="eyebrow">Run</span>
        <h1>
          {run.job ? <Name name={run.job.name} href={linkTo("node", { nodeId, tab: "runs" })} /> : run.id}{" "}
          <Copy text={run.id} label="Copy the run id" />
        </h1>
        <div className="row">
          <State state={run.outcome} />
          <span>{moment(run.startedAt ?? run.createdAt)}</span>
          <span className="muted">{duration(run.durationMs)}</span>
          {run.job && <span className="muted mono">{run.id}</span>}
          {run.noContactSince && <span className="chip warn">No contact since {moment(run.noContactSince)}</span>}
          {run.progress && <span>{progressOf(run.progress)}</span>}
          {run.code && <CodeOfRun code={run.code} />}
        </div>
        <div className="row">
          <GoodRun run={run} again={again} />
        </div>
        <Said run={run} />
        {nodeId && (
          <div className="row">
            <a className="button primary" href={linkTo("lineage", { nodeId, asOf: run.endedAt })}>
              Lineage at that time
            </a>
            <a className="button" href={linkTo("why", { nodeId, asOf: run.endedAt })}>
              Why did it go wrong?
            </a>
            {parent?.run?.runId && (
              <a className="button" href={linkTo("run", { id: parent.run.runId })}>
                Its parent {oneLine(parent.job?.name ?? "")}
              </a>
            )}
          </div>
        )}
      </header>
      {run.message && (
        <div className="card error">
          <h2>Error</h2>
          <pre tabIndex={0} aria-label="Error message">
            {inertLines(run.message)}
          </pre>
          <FailedParts run={run} />
          {error && error.message !== run.message && <Details title="Whole message" text={error.message} />}
          {error?.stack && <Details title="Stack trace" text={error.stack} />}
        </div>
      )}
      <div className="cards">
        <Datasets title="Inputs, in the version that was read" versions={run.inputDatasetVersions} />
        <Datasets title="Outputs" versions={run.outputDatasetVersions} />
      </div>
      {run.runtime && <RuntimeOfRun runtime={run.runtime} />}
      {children.length > 0 && (
        <>
          <h2>Its parts</h2>
          <RunTable runs={children} file="children" withJob />
        </>
      )}
      <h2>Facets</h2>
      <FacetsTab facets={run.facets} document={run} />
      <RawEventsCard run={run.id} />
    </section>
  );
}

/** What its producer says of the run beside its datasets. */
function Said({ run: { tags = [], tagSources, query, environment, incomplete } }: { run: Run }) {
  if (!tags.length && !query && !environment && !incomplete) return null;
  return (
    <div className="row">
      {tags.map((tag) => (
        <Tag key={tag} tag={tag} sources={tagSources} />
      ))}
      {query && (
        <span className="muted">
          Query {oneLine(query.id)}
          {query.source && ` of ${oneLine(query.source)}`}
        </span>
      )}
      {environment && <span className="muted">{placeOf(environment)}</span>}
      {incomplete && <span className="chip warn">Its lineage is incomplete: {oneLine(incomplete)}</span>}
    </div>
  );
}

/** `Cluster j-VC0KIOO5V5LS, emr-7.1.0, application_17_0001, user etl`. */
function placeOf({ cluster, release, application, user }: Environment): string {
  const told = [cluster && `Cluster ${cluster}`, release, application, user && `user ${user}`];
  return oneLine(told.filter(Boolean).join(", "));
}

function progressOf({ rows, batches, lag }: NonNullable<Run["progress"]>): string {
  const behind = lag === undefined ? "" : `, ${count(lag)} behind`;
  return `${counted(rows, "row")} by batch ${count(batches)}${behind}`;
}

function FailedParts({ run: { failedChildren } }: { run: Run }) {
  if (!Array.isArray(failedChildren) || !failedChildren.length) return null;
  return (
    <p>
      Failed in it:{" "}
      {failedChildren.map(({ runId, job }) => (
        <Name key={runId} name={job.name} href={linkTo("run", { id: runId })} />
      ))}
    </p>
  );
}

function Details({ title, text }: { title: string; text: string }) {
  return (
    <details>
      <summary>{title}</summary>
      <pre tabIndex={0} aria-label={title}>
        {inertLines(text)}
      </pre>
    </details>
  );
}

/** The events are fetched when somebody wants to see them: those of Spark are large. */
function RawEventsCard({ run }: { run: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className="card facet"
      onToggle={(change) => change.target === change.currentTarget && setOpen(change.currentTarget.open)}
    >
      <summary>
        <h2>Events, as they were posted</h2>
      </summary>
      {isOpen && <RawEvents run={run} />}
    </details>
  );
}

function Datasets({ title, versions }: { title: string; versions: DatasetVersionOfRun[] }) {
  return (
    <div className="card">
      <h2>{title}</h2>
      <ul className="list">
        {versions.map(({ datasetVersionId: { namespace, name, version }, facets }) => {
          const { rowCount } = facets.outputStatistics ?? facets.inputStatistics ?? {};
          return (
            <li key={`${namespace} ${name}`}>
              <span className="grow">
                <Name name={name} href={linkTo("node", { nodeId: nodeIdOf("dataset", namespace, name) })} />
                <div className="muted mono">{version}</div>
              </span>
              <span className="end">{typeof rowCount === "number" && `${count(rowCount)} rows`}</span>
            </li>
          );
        })}
        {!versions.length && <li className="muted">none reported</li>}
      </ul>
    </div>
  );
}
