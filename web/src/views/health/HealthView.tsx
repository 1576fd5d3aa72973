/**
 * Health: whether events arrive, which were refused, which runs never ended, what was set aside; each with the remedy.
 */

import type { Caller } from "../../api/caller";
import { get } from "../../api/request";
import type { Job, Namespace } from "../../api/types";
import { useLookup } from "../../api/useLookup";
import { isCanary, isListedJob, isListedNamespace } from "../../graph/unlisted";
import { Loaded } from "../../parts/Feedback";
import { linkTo } from "../../routing/location";
import { count } from "../../text/amounts";
import { nodeIdOf } from "../../text/names";
import { FirstEvent } from "../start/FirstEvent";
import "../start/start.css";
import { EventPlot, type Interval } from "./EventPlot";
import { FindingList } from "./FindingList";
import { islands, lastEvents, suspicious } from "./findings";
import { LastEvents } from "./LastEvents";
import { Producers } from "./Producers";
import { RefusalTable } from "./RefusalTable";
import { RunsWithoutEnd } from "./RunsWithoutEnd";
import { type Refusals, seesAll } from "./refusals";
import { type SetAside, SetAsideList } from "./SetAsideList";

interface Found {
  intervals: Interval[];
  running: Job[];
  setAside: SetAside;
  refused: Refusals;
  seesAll: boolean;
  namespaces: Namespace[];
  jobs: Job[];
  /** Whether there are more jobs than these. */
  isCut: boolean;
}

const MOST_JOBS = 500;

export default function HealthView() {
  const lookup = useLookup("health", find);
  return (
    <section className="sheet">
      <h1>Health</h1>
      <Loaded lookup={lookup} what="the health">
        {(found) => (found.namespaces.length ? <Cards {...found} /> : <Beginning {...found} />)}
      </Loaded>
    </section>
  );
}

async function find(signal: AbortSignal): Promise<Found> {
  const [intervals, running, setAside, refused, caller, { namespaces }, { jobs, totalCount }] = await Promise.all([
    get<Interval[]>("stats/lineage-events", { period: "DAY" }, signal),
    get<{ jobs: Job[] }>("jobs", { lastRunStates: "RUNNING", limit: 50 }, signal),
    get<SetAside>("stats/set-aside", {}, signal),
    get<Refusals>("stats/refusals", {}, signal),
    get<Caller>("caller", {}, signal),
    get<{ namespaces: Namespace[] }>("namespaces", { limit: 1000 }, signal),
    get<{ jobs: Job[]; totalCount: number }>("jobs", { limit: MOST_JOBS }, signal),
  ]);
  return {
    intervals,
    running: running.jobs.filter(isListedJob),
    setAside,
    refused,
    seesAll: seesAll(caller),
    namespaces: namespaces.filter(isListedNamespace),
    jobs: jobs.filter((job) => !isCanary(job)),
    isCut: totalCount > jobs.length,
  };
}

/** Without any event that was taken: those that were refused say why, else how to send the first one. */
function Beginning({ refused, seesAll }: Found) {
  return (
    <>
      {refused.refusals.length > 0 && <RefusalTable {...refused} seesAll={seesAll} />}
      <FirstEvent />
    </>
  );
}

function Cards({ intervals, running, setAside, refused, seesAll, namespaces, jobs, isCut }: Found) {
  const total = intervals.reduce((sum, { start, complete, fail, abort }) => sum + start + complete + fail + abort, 0);
  return (
    <div className="cards">
      <div className="card wide">
        <h2>Events of the last 24 hours</h2>
        <EventPlot intervals={intervals} />
        <p className="muted">
          {total
            ? `${count(total)} events of runs.`
            : "No event of a run in 24 hours. Is the listener in the configuration, and the address right? `headwater doctor` checks both."}
        </p>
      </div>
      <RefusalTable {...refused} seesAll={seesAll} />
      <Producers />
      <LastEvents
        title="Namespaces of jobs, by their last event"
        noun="job"
        rows={lastEvents(
          jobs.map(({ namespace, updatedAt, latestRun }) => ({
            name: namespace,
            at: latestRun?.updatedAt ?? updatedAt,
          })),
        )}
        view="namespace"
        remedy="Silent for a day or more: `headwater doctor` checks what a driver of this namespace sends."
      />
      <RunsWithoutEnd running={running} />
      <SetAsideList {...setAside} />
      <FindingList
        title="Islands: jobs whose data no other job uses"
        none={
          isCut
            ? `Not looked for: of more than ${count(jobs.length)} jobs, those not looked at may use the data. Coverage has the datasets that nobody reads.`
            : `None among the ${count(jobs.length)} jobs.`
        }
        remedy="The next job may use another name of the same dataset: see suspicious names."
        rows={(isCut ? [] : islands(jobs)).map(({ namespace, name }) => ({
          key: `${namespace} ${name}`,
          text: name,
          link: linkTo("lineage", { nodeId: nodeIdOf("job", namespace, name) }),
        }))}
      />
      <FindingList
        title="Suspicious names"
        none="None: no namespace means another host on each machine."
        remedy="Another machine means something else by such a name, so that lineage ends there."
        rows={suspicious(namespaces.map(({ name }) => name)).map(({ name, why }) => ({
          key: name,
          text: name,
          why,
          link: linkTo("namespace", { name }),
        }))}
      />
    </div>
  );
}
