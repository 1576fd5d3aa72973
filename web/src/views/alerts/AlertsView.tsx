/**
 * Alerts: what was told, by time, severity, owner and namespace; and one alert, with its graph, its change and its
 * breakage.
 */

import { alertOf } from "../../api/alerts";
import { useLookup } from "../../api/useLookup";
import { Loaded } from "../../parts/Feedback";
import { FilterField } from "../../parts/FilterField";
import { hoursIn, Since } from "../../parts/Since";
import { changeParameters } from "../../routing/location";
import { AlertList } from "./AlertList";
import { AlertPage } from "./AlertPage";

const LIMIT = 200;
const SEVERITIES = ["", "critical", "warning", "info"];

export default function AlertsView({ parameters }: { parameters: URLSearchParams }) {
  const id = parameters.get("id");
  return id ? <One id={id} /> : <All parameters={parameters} />;
}

function All({ parameters }: { parameters: URLSearchParams }) {
  const severity = parameters.get("severity") ?? "";
  const owner = parameters.get("owner") ?? "";
  const namespace = parameters.get("namespace") ?? "";
  const isOpen = parameters.get("open") === "true";
  const hours = hoursIn(parameters, null);
  return (
    <section className="sheet">
      <header className="spread">
        <h1>Alerts</h1>
        <div className="row">
          <div className="switch" role="group" aria-label="Severity">
            {SEVERITIES.map((each) => (
              <button key={each} aria-pressed={each === severity} onClick={() => changeParameters({ severity: each })}>
                {each || "any"}
              </button>
            ))}
          </div>
          <label>
            <input
              type="checkbox"
              checked={isOpen}
              onChange={(event) => changeParameters({ open: event.target.checked })}
            />{" "}
            only open
          </label>
          <Since hours={hours} />
          <FilterField label="Owner" name="owner" value={owner} />
          <FilterField label="Namespace" name="namespace" value={namespace} />
        </div>
      </header>
      <div className="card">
        <AlertList
          limit={LIMIT}
          severity={severity}
          owner={owner}
          namespace={namespace}
          isOpen={isOpen}
          hours={hours}
          hasActs
        />
      </div>
    </section>
  );
}

function One({ id }: { id: string }) {
  const lookup = useLookup(id, (signal) => alertOf(id, signal));
  return (
    <Loaded lookup={lookup} what="the alert">
      {(alert) => <AlertPage alert={alert} again={lookup.again} />}
    </Loaded>
  );
}
