/** Alerts, newest first, each below the one that it follows from: how grave, what, when, whose. */

import { type Alert, alerts } from "../../api/alerts";
import { useScopes } from "../../api/caller";
import { useLookup } from "../../api/useLookup";
import { causesAmong, following } from "../../graph/incidents";
import { Loaded, Updated } from "../../parts/Feedback";
import { hoursAgo } from "../../parts/Since";
import { Severity } from "../../parts/State";
import { linkTo } from "../../routing/location";
import { ago, moment } from "../../text/amounts";
import { oneLine } from "../../text/names";
import { AlertActs, AlertMarks } from "./AlertActs";

interface Filter {
  severity?: string;
  owner?: string;
  namespace?: string;
  isOpen?: boolean;
  hours?: number | null;
}

interface Props extends Filter {
  limit: number;
  /** Whether each alert has buttons. */
  hasActs?: boolean;
}

export function AlertList({ limit, severity, owner, namespace, isOpen, hours = null, hasActs = false }: Props) {
  const question = { limit, severity, owner, namespace, open: isOpen || undefined, after: hoursAgo(hours) };
  const mayCurate = useScopes().has("curate") && hasActs;
  const lookup = useLookup(JSON.stringify({ ...question, after: hours }), (signal) => alerts(question, signal), true);
  return (
    <>
      <Loaded lookup={lookup} what="the alerts">
        {(found) =>
          found.alerts.length ? (
            <Incidents found={found.alerts} again={mayCurate ? lookup.again : undefined} />
          ) : (
            <p className="muted">
              No alert{severity || owner || namespace || isOpen || hours ? " of this kind" : ""}. That is good.
            </p>
          )
        }
      </Loaded>
      <Updated lookup={lookup} />
    </>
  );
}

function Incidents({ found, again }: { found: Alert[]; again?: () => void }) {
  const causes = causesAmong(found);
  const below = (cause?: string) => {
    const alerts = found.filter(({ id }) => causes.get(id) === cause);
    if (!alerts.length) return null;
    return (
      <ul className={cause ? "list following" : "list"} aria-label={cause && "What follows from it"}>
        {alerts.map((alert) => (
          <li key={alert.id}>
            <Severity severity={alert.severity} />
            <div className="grow">
              <Line alert={alert} />
              {again && <AlertActs alert={alert} followers={following(found, causes, alert.id)} again={again} />}
              {below(alert.id)}
            </div>
            <span className="end" title={moment(alert.time)}>
              {ago(alert.time)}
            </span>
          </li>
        ))}
      </ul>
    );
  };
  return below();
}

function Line({ alert }: { alert: Alert }) {
  return (
    <>
      <a className="inert" href={linkTo("alerts", { id: alert.id })}>
        {oneLine(alert.title)}
      </a>
      <div className="muted inert">{[...brokenOf(alert), ...ownersOf(alert)].join(" · ")}</div>
      <AlertMarks alert={alert} />
    </>
  );
}

/** What it breaks, in a few words, if the alert tells. */
function brokenOf({ details }: Alert): string[] {
  return details?.breaks?.sentence ? [details.breaks.sentence] : [];
}

function ownersOf({ owners = [] }: Alert): string[] {
  return owners.length ? [`of ${owners.map(oneLine).join(", ")}`] : [];
}
