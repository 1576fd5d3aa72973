/** One alert: what changed, whose job did it, what it breaks and whose that is. Links of mails and chats lead here. */

import type { Alert } from "../../api/alerts";
import type { Name as NameOf } from "../../api/types";
import { brokenText, isPossible, wayOf } from "../../graph/risk";
import { Icon } from "../../parts/Icon";
import { Name } from "../../parts/Name";
import { Severity } from "../../parts/State";
import { Table } from "../../parts/Table";
import { linkTo } from "../../routing/location";
import { ago, moment } from "../../text/amounts";
import { columnOf, nodeIdOf, oneLine, shortName, splitNodeId } from "../../text/names";
import "../node/node.css";

/** How many columns of a new type, and how many removed ones, have a link to their way. */
const WAYS = 10;

export function AlertPage({ alert }: { alert: Alert }) {
  const { nodeId, details = {}, lines = [], owners = [] } = alert;
  const isJob = splitNodeId(nodeId).kind === "job";
  const items = details.breaks?.items ?? [];
  const runId = details.run?.runId ?? details.runId;
  const isOnlyRead = details.seenAs === "input";
  return (
    <section className="sheet">
      <header className="node-head">
        <a href={linkTo("alerts")} className="eyebrow">
          <Icon name="left" /> Alerts
        </a>
        <h1>{oneLine(alert.title)}</h1>
        <div className="row">
          <Severity severity={alert.severity} /> <span>{alert.type}</span>
          <span className="muted" title={moment(alert.time)}>
            {moment(alert.time)}, {ago(alert.time)}
          </span>
          {owners.map((owner) => (
            <span key={owner} className="chip">
              <Icon name="person" /> {oneLine(owner)}
            </span>
          ))}
        </div>
        <div className="row">
          <a className="button primary" href={linkTo("lineage", { nodeId })}>
            <Icon name="water" /> In the graph
          </a>
          <a className="button" href={linkTo("why", { nodeId })}>
            <Icon name="why" /> Why?
          </a>
          {!isJob && (
            <a className="button" href={linkTo("impact", { nodeId })}>
              <Icon name="impact" /> All downstream
            </a>
          )}
          <a className="button" href={linkTo("node", { nodeId, tab: isJob ? "runs" : "versions" })}>
            {isJob ? "Its runs" : "Its versions"}
          </a>
        </div>
      </header>
      <div className="cards">
        <div className="card">
          <h2>What happened</h2>
          {alert.hidden && (
            <p className="muted">It names nodes that your key may not read, so its sentences are left out.</p>
          )}
          {(items.length ? lines.slice(0, 3) : lines).map((line, index) => (
            <p key={index} className="inert">
              {oneLine(line)}
            </p>
          ))}
          {details.retyped?.slice(0, WAYS).map(({ field }) => (
            <p key={field}>
              <a className="inert" href={linkTo("lineage", { nodeId, table: nodeId, column: field })}>
                the way of {oneLine(field)}
              </a>
            </p>
          ))}
          {details.removed?.slice(0, WAYS).map(({ field }) => (
            <p key={field}>
              <a
                className="inert"
                href={linkTo("lineage", { nodeId, table: nodeId, column: field, asOf: justBefore(alert.time) })}
              >
                the way of {oneLine(field)} before it was removed
              </a>
            </p>
          ))}
        </div>
        <div className="card">
          <h2>Who did it</h2>
          <dl className="facts">
            <dt>{isJob ? "Job" : "Dataset"}</dt>
            <dd>
              <Name name={alert.name} href={linkTo("node", { nodeId })} />
            </dd>
            {!isJob && details.job && (
              <>
                <dt>{isOnlyRead ? "Read by" : "Job"}</dt>
                <dd>
                  <Name
                    name={details.job.name}
                    href={linkTo("node", { nodeId: nodeIdOf("job", details.job.namespace, details.job.name) })}
                  />
                </dd>
              </>
            )}
            <Reporter label="Application" reporter={details.application} />
            <Reporter label="Orchestrator" reporter={details.orchestrator} />
            {runId && (
              <>
                <dt>Run</dt>
                <dd>
                  <a href={linkTo("run", { id: runId })}>{runId}</a>
                </dd>
              </>
            )}
          </dl>
          {isOnlyRead && (
            <p className="muted after">
              No known job wrote the change: the data comes from outside. The job above was the first that read the
              dataset so.
            </p>
          )}
        </div>
      </div>
      {items.length > 0 && details.breaks && (
        <>
          <h2>{brokenText(details.breaks)}</h2>
          <Table
            caption="What it breaks, or may break"
            file={`alert-${shortName(alert.name)}`}
            rows={items}
            keyOf={(item) => item.nodeId}
            columns={[
              { name: "Owner", value: (item) => item.owners.join(", ") },
              {
                name: "Node",
                value: (item) => splitNodeId(item.nodeId).name,
                show: (item) => <Broken nodeId={item.nodeId} />,
              },
              { name: "Kind", value: (item) => item.type.toLowerCase().replace("dataset_field", "column") },
              { name: "Hops", value: (item) => item.distance, isNumber: true },
              { name: "Breaks", value: (item) => (isPossible(item) ? "may break" : "breaks") },
              { name: "How", value: wayOf },
            ]}
          />
        </>
      )}
      <details className="card facet">
        <summary>
          <h2>As the API has it</h2>
        </summary>
        <pre tabIndex={0} aria-label="Alert">
          {JSON.stringify(alert, null, 2)}
        </pre>
      </details>
    </section>
  );
}

/** The last time at which a column was there that an event removed. */
function justBefore(time: string): string {
  return new Date(Date.parse(time) - 1).toISOString();
}

function Reporter({ label, reporter }: { label: string; reporter?: { job: NameOf; runId: string } }) {
  if (!reporter) return null;
  return (
    <>
      <dt>{label}</dt>
      <dd>
        <Name
          name={reporter.job.name}
          href={linkTo("node", { nodeId: nodeIdOf("job", reporter.job.namespace, reporter.job.name) })}
        />
        {" · "}
        <a href={linkTo("run", { id: reporter.runId })}>its run</a>
      </dd>
    </>
  );
}

function Broken({ nodeId }: { nodeId: string }) {
  if (splitNodeId(nodeId).kind !== "datasetField")
    return <Name name={splitNodeId(nodeId).name} href={linkTo("lineage", { nodeId })} />;
  const { dataset, field } = columnOf(nodeId);
  const { name } = splitNodeId(dataset);
  return (
    <Name
      name={`${name}.${field}`}
      short={`${shortName(name)}.${field}`}
      isContext={false}
      href={linkTo("lineage", { nodeId: dataset, table: dataset, column: field })}
    />
  );
}
