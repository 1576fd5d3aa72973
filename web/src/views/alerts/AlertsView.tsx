/** Alerts: what was told, by severity, owner and namespace; and one alert, with its graph, its change and its breakage. */

import { alerts, type Alert } from "../../api/alerts";
import { useLookup } from "../../api/useLookup";
import { Icon } from "../../parts/Icon";
import { Severity } from "../../parts/State";
import { Empty, Shown } from "../../parts/Told";
import { changeParameters, linkTo } from "../../routing/location";
import { moment } from "../../text/amounts";
import { nodeIdOf, oneLine, splitNodeId } from "../../text/names";
import "../node/node.css";
import { AlertList } from "./AlertList";

const LIMIT = 200;
const SEVERITIES = ["", "CRITICAL", "WARNING", "INFO"];

export default function AlertsView({ parameters }: { parameters: URLSearchParams }) {
  const id = parameters.get("id");
  return id ? <One id={id} /> : <All parameters={parameters} />;
}

function All({ parameters }: { parameters: URLSearchParams }) {
  const severity = parameters.get("severity") ?? "";
  const owner = parameters.get("owner") ?? "";
  const namespace = parameters.get("namespace") ?? "";
  return (
    <section className="sheet">
      <header className="spread">
        <h1>Alerts</h1>
        <div className="row">
          <div className="switch" role="group" aria-label="Severity">
            {SEVERITIES.map((each) => (
              <button key={each} aria-pressed={each === severity} onClick={() => changeParameters({ severity: each })}>
                {each ? each.toLowerCase() : "any"}
              </button>
            ))}
          </div>
          <input aria-label="Owner" placeholder="Owner" defaultValue={owner} onKeyDown={(event) => event.key === "Enter" && changeParameters({ owner: event.currentTarget.value })} />
          <input aria-label="Namespace" placeholder="Namespace" defaultValue={namespace} onKeyDown={(event) => event.key === "Enter" && changeParameters({ namespace: event.currentTarget.value })} />
        </div>
      </header>
      <div className="card">
        <AlertList limit={LIMIT} severity={severity} owner={owner} namespace={namespace} />
      </div>
    </section>
  );
}

function One({ id }: { id: string }) {
  const lookup = useLookup(id, (signal) => alerts({ limit: 1000 }, signal));
  return (
    <Shown lookup={lookup} what="the alert">
      {(found) => {
        const alert = found.alerts.find((each) => each.id === id);
        return alert ? <AlertPage alert={alert} /> : <Empty>This alert is no longer kept. The newest are on the board of alerts.</Empty>;
      }}
    </Shown>
  );
}

function AlertPage({ alert }: { alert: Alert }) {
  const nodeId = nodeOf(alert);
  const isJob = splitNodeId(nodeId).kind === "job";
  return (
    <section className="sheet">
      <header className="node-head">
        <a href={linkTo("alerts")} className="eyebrow">
          <Icon name="left" /> Alerts
        </a>
        <h1>{oneLine(alert.title)}</h1>
        <div className="row">
          <Severity severity={alert.severity} /> <span>{alert.alert}</span> <span className="muted">{moment(alert.time)}</span>
          {(alert.owners ?? []).map((owner) => (
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
              <Icon name="impact" /> What breaks
            </a>
          )}
          <a className="button" href={linkTo("node", { nodeId })}>
            Its page
          </a>
        </div>
      </header>
      <div className="card">
        <h2>What happened</h2>
        {(alert.explanation ?? []).map((line, index) => (
          <p key={index} className="inert">
            {oneLine(line)}
          </p>
        ))}
      </div>
      <details className="card facet">
        <summary>
          <h2>As it was sent</h2>
        </summary>
        <pre tabIndex={0} aria-label="Alert">{JSON.stringify(alert, null, 2)}</pre>
      </details>
    </section>
  );
}

/** The node that an alert is about. */
function nodeOf({ detail, alert, namespace, name }: Alert): string {
  const given = detail["nodeId"];
  if (typeof given === "string") return given;
  return nodeIdOf(/run|latency/i.test(alert) ? "job" : "dataset", namespace, name);
}
