/** Alerts, newest first: how grave, what, when, whose. */

import { type Alert, alerts } from "../../api/alerts";
import { useLookup } from "../../api/useLookup";
import { Loaded, Updated } from "../../parts/Feedback";
import { hoursAgo } from "../../parts/Since";
import { Severity } from "../../parts/State";
import { linkTo } from "../../routing/location";
import { ago, moment } from "../../text/amounts";
import { oneLine } from "../../text/names";

interface Filter {
  severity?: string;
  owner?: string;
  namespace?: string;
  hours?: number | null;
}

export function AlertList({ limit, severity, owner, namespace, hours = null }: Filter & { limit: number }) {
  const question = { limit, severity, owner, namespace, after: hoursAgo(hours) };
  const lookup = useLookup(JSON.stringify({ ...question, after: hours }), (signal) => alerts(question, signal), true);
  return (
    <>
      <Loaded lookup={lookup} what="the alerts">
        {(found) =>
          found.alerts.length ? (
            <Lines found={found.alerts} />
          ) : (
            <p className="muted">
              No alert{severity || owner || namespace || hours ? " of this kind" : ""}. That is good.
            </p>
          )
        }
      </Loaded>
      <Updated lookup={lookup} />
    </>
  );
}

function Lines({ found }: { found: Alert[] }) {
  return (
    <ul className="list">
      {found.map((alert) => (
        <li key={alert.id}>
          <Severity severity={alert.severity} />
          <span className="grow">
            <a className="inert" href={linkTo("alerts", { id: alert.id })}>
              {oneLine(alert.title)}
            </a>
            <div className="muted inert">{[...brokenOf(alert), ...ownersOf(alert)].join(" · ")}</div>
          </span>
          <span className="end" title={moment(alert.time)}>
            {ago(alert.time)}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** What it breaks, in a few words, if the alert tells. */
function brokenOf({ details }: Alert): string[] {
  return details?.breaks?.sentence ? [details.breaks.sentence] : [];
}

function ownersOf({ owners = [] }: Alert): string[] {
  return owners.length ? [`of ${owners.map(oneLine).join(", ")}`] : [];
}
