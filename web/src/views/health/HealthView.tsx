/** Health: whether events arrive, which runs never ended, what was set aside; each with the remedy. */

import { get } from "../../api/request";
import type { Job, Namespace } from "../../api/types";
import { useLookup } from "../../api/useLookup";
import { Name } from "../../parts/Name";
import { State } from "../../parts/State";
import { Shown } from "../../parts/Told";
import { linkTo } from "../../routing/location";
import { ago, count } from "../../text/amounts";
import { nodeIdOf, oneLine } from "../../text/names";
import { FirstEvent } from "../start/FirstEvent";
import "../start/start.css";
import { EventPlot, type Interval } from "./EventPlot";

interface SetAside {
  jobs: { job: { namespace: string; name: string }; lastAt: string; paths: string[]; key: string }[];
}

interface Found {
  intervals: Interval[];
  running: Job[];
  setAside: SetAside;
  namespaces: Namespace[];
}

const HOUR = 3_600_000;

export default function HealthView() {
  const lookup = useLookup("health", find);
  return (
    <section className="sheet">
      <h1>Health</h1>
      <Shown lookup={lookup} what="the health">
        {(found) => (found.namespaces.length ? <Cards {...found} /> : <FirstEvent />)}
      </Shown>
    </section>
  );
}

async function find(signal: AbortSignal): Promise<Found> {
  const [intervals, { jobs }, setAside, { namespaces }] = await Promise.all([
    get<Interval[]>("stats/lineage-events", { period: "DAY" }, signal),
    get<{ jobs: Job[] }>("jobs", { lastRunStates: "RUNNING", limit: 50 }, signal),
    get<SetAside>("stats/set-aside", {}, signal),
    get<{ namespaces: Namespace[] }>("namespaces", { limit: 1000 }, signal),
  ]);
  return { intervals, running: jobs, setAside, namespaces };
}

function Cards({ intervals, running, setAside }: Found) {
  const total = intervals.reduce((sum, { start, complete, fail, abort }) => sum + start + complete + fail + abort, 0);
  const old = running.filter((job) => Date.now() - Date.parse(job.latestRun?.startedAt ?? job.updatedAt) > 24 * HOUR);
  return (
    <div className="cards">
      <div className="card wide">
        <h2>Events of the last 24 hours</h2>
        <EventPlot intervals={intervals} />
        <p className="muted">
          {total ? `${count(total)} events of runs.` : "No event of a run in 24 hours. Is the listener in the configuration, and the address right? `headwater doctor` checks both."}
        </p>
      </div>
      <div className="card">
        <h2>Runs that never ended</h2>
        {old.length ? (
          <>
            <ul className="list">
              {old.map((job) => (
                <li key={nodeIdOf("job", job.namespace, job.name)}>
                  <State state="RUNNING" />
                  <span className="grow">
                    <Name name={job.name} href={linkTo("node", { nodeId: nodeIdOf("job", job.namespace, job.name), tab: "runs" })} />
                  </span>
                  <span className="end">{ago(job.latestRun?.startedAt)}</span>
                </li>
              ))}
            </ul>
            <p className="muted">A killed driver sends no end. A newer run of the job closes the matter; an alert tells of each.</p>
          </>
        ) : (
          <p className="muted">None: no newest run is running for more than a day.</p>
        )}
      </div>
      <div className="card">
        <h2>Descriptions of others' datasets, set aside</h2>
        {setAside.jobs.length ? (
          <>
            <ul className="list">
              {setAside.jobs.slice(0, 20).map(({ job, lastAt, paths }) => (
                <li key={`${job.namespace} ${job.name}`}>
                  <span className="grow">
                    <Name name={job.name} href={linkTo("node", { nodeId: nodeIdOf("job", job.namespace, job.name) })} />
                    <div className="muted inert">{oneLine(paths.slice(0, 3).join(", "))}</div>
                  </span>
                  <span className="end">{ago(lastAt)}</span>
                </li>
              ))}
            </ul>
            <p className="muted">Their keys may not write these namespaces. Give the key the namespace, or leave the facets to the owner.</p>
          </>
        ) : (
          <p className="muted">None in the last week.</p>
        )}
      </div>
    </div>
  );
}
