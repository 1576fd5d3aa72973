/** One alert: what changed, whose job did it, what it breaks and whose that is. Links of mails and chats lead here. */

import type { Alert } from "../../api/alerts";
import { useScopes } from "../../api/caller";
import { dataset } from "../../api/nodes";
import { useLookup } from "../../api/useLookup";
import { Icon } from "../../parts/Icon";
import { Severity } from "../../parts/State";
import { useTitle } from "../../parts/useTitle";
import { linkTo } from "../../routing/location";
import { ago, moment } from "../../text/amounts";
import { columnIdOf, kindOf, oneLine, shortName, splitNodeId } from "../../text/names";
import { AlertActs, AlertMarks, marksOf } from "./AlertActs";
import { BrokenNodes } from "./BrokenNodes";
import { WhatHappened } from "./WhatHappened";
import { WhoDidIt } from "./WhoDidIt";
import "../node/node.css";

export function AlertPage({ alert, again }: { alert: Alert; again: () => void }) {
  const mayCurate = useScopes().has("curate");
  const called = useCalled(alert.nodeId);
  useTitle(alert.title);
  const breaks = alert.details?.breaks;
  return (
    <section className="sheet">
      <Head alert={alert} />
      {(mayCurate || marksOf(alert).length > 0) && (
        <div className="card">
          <AlertMarks alert={alert} />
          {mayCurate && <AlertActs alert={alert} again={again} />}
        </div>
      )}
      <div className="cards">
        <WhatHappened alert={alert} />
        <WhoDidIt alert={alert} called={called} />
      </div>
      {breaks && breaks.items.length > 0 && <BrokenNodes breaks={breaks} file={`alert-${shortName(alert.name)}`} />}
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

/** What people call a dataset, which an alert does not tell; undefined of a job, and until the answer is there. */
function useCalled(nodeId: string): string | undefined {
  const lookup = useLookup(nodeId, async (signal) =>
    kindOf(nodeId) === "job" ? undefined : (await dataset(nodeId, signal)).displayName,
  );
  return lookup.value;
}

/** What the alert is about: the column, where a single one is of another type, so that the sum is that of the alert. */
function changedNode({ nodeId, namespace, name, details = {} }: Alert): string {
  const { added = [], removed = [], retyped = [] } = details;
  const [column] = retyped;
  return column && retyped.length + added.length + removed.length === 1
    ? columnIdOf(namespace, name, column.field)
    : nodeId;
}

function Head({ alert }: { alert: Alert }) {
  const { nodeId, owners = [] } = alert;
  const isJob = splitNodeId(nodeId).kind === "job";
  return (
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
          <a className="button" href={linkTo("impact", { nodeId: changedNode(alert) })}>
            <Icon name="impact" /> All downstream
          </a>
        )}
        <a className="button" href={linkTo("node", { nodeId, tab: isJob ? "runs" : "versions" })}>
          {isJob ? "Its runs" : "Its versions"}
        </a>
      </div>
    </header>
  );
}
