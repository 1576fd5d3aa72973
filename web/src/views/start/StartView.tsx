/**
 * The start page: the search, what is broken now, what was told, what was looked at; of an empty stack, the first step.
 */

import { get } from "../../api/request";
import { type BoardRun, boardRuns } from "../../api/runs";
import type { Job, Name as JobName, Namespace, Outcome } from "../../api/types";
import { useLookup } from "../../api/useLookup";
import { isListedJob, isListedNamespace } from "../../graph/unlisted";
import { Loaded, Updated } from "../../parts/Feedback";
import { Icon } from "../../parts/Icon";
import { Name } from "../../parts/Name";
import { State } from "../../parts/State";
import { linkTo } from "../../routing/location";
import { ago, counted, moment } from "../../text/amounts";
import { calledShort, nodeIdOf, shortName, splitNodeId } from "../../text/names";
import { AlertList } from "../alerts/AlertList";
import { recentNodes } from "../search/recent";
import { FirstEvent } from "./FirstEvent";
import "./start.css";

interface Overview {
  namespaces: Namespace[];
  totalCount: number;
  broken: Job[];
  latest: BoardRun[];
}

/** More than are shown, since some are left out: one read has the details of a hundred. */
const MOST_NAMESPACES = 100;

export function StartView() {
  const lookup = useLookup("start", overview, true);
  return (
    <section className="sheet start">
      <Loaded lookup={lookup} what="the start page">
        {(found) => (found.totalCount === 0 ? <FirstEvent /> : <Overviewed found={found} />)}
      </Loaded>
      <Updated lookup={lookup} />
    </section>
  );
}

async function overview(signal: AbortSignal): Promise<Overview> {
  const [{ namespaces, totalCount }, broken, latest] = await Promise.all([
    get<{ namespaces: Namespace[]; totalCount: number }>("namespaces", { limit: MOST_NAMESPACES }, signal),
    get<{ jobs: Job[] }>("jobs", { limit: 6, lastRunStates: "FAILED" }, signal),
    boardRuns({ limit: 8 }, signal),
  ]);
  const listed = namespaces.filter(isListedNamespace);
  return {
    namespaces: listed,
    totalCount: totalCount - (namespaces.length - listed.length),
    broken: broken.jobs.filter(isListedJob),
    latest: latest.runs,
  };
}

function Overviewed({ found }: { found: Overview }) {
  const recent = recentNodes();
  return (
    <>
      <div className="hero">
        <h1>Which number is wrong?</h1>
        <p className="muted">
          Search a column, a table or a job: its lineage leads to the run, the column and the owner.
        </p>
        <button
          className="hero-search"
          onClick={() => window.dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true }))}
        >
          <Icon name="search" /> Search tables, jobs, columns… <kbd>/</kbd>
        </button>
      </div>
      <div className="cards">
        <div className="card">
          <div className="spread">
            <h2>Newest alerts</h2>
            <a href={linkTo("alerts")}>All alerts</a>
          </div>
          <AlertList limit={5} />
        </div>
        <div className="card">
          <div className="spread">
            <h2>Broken now</h2>
            <a href={linkTo("runs", { state: "FAILED" })}>All failed runs</a>
          </div>
          {found.broken.length ? (
            <Jobs jobs={found.broken} />
          ) : (
            <p className="muted">No job failed in its newest run.</p>
          )}
        </div>
        <div className="card">
          <div className="spread">
            <h2>{recent.length ? "You looked at" : "Ran last"}</h2>
            <a href={linkTo("runs")}>All runs</a>
          </div>
          {recent.length ? (
            <ul className="list">
              {recent.map(({ nodeId, displayName }) => (
                <li key={nodeId}>
                  <Icon name={splitNodeId(nodeId).kind === "job" ? "job" : "table"} />
                  <span className="grow">
                    <Name name={splitNodeId(nodeId).name} called={displayName} href={linkTo("lineage", { nodeId })} />
                  </span>
                </li>
              ))}
            </ul>
          ) : (
            <Runs runs={found.latest} />
          )}
        </div>
        <div className="card">
          <div className="spread">
            <h2>{counted(found.totalCount, "namespace")}</h2>
            <a href={linkTo("namespaces")}>Directory</a>
          </div>
          <ul className="list">
            {found.namespaces.slice(0, 8).map(({ name, ownerName, createdAt }) => (
              <li key={name}>
                <Icon name="group" />
                <span className="grow">
                  <Name name={name} short={name} href={linkTo("namespace", { name })} />
                </span>
                <span className="end">{ownerName === "anonymous" ? `since ${moment(createdAt)}` : ownerName}</span>
              </li>
            ))}
          </ul>
        </div>
      </div>
    </>
  );
}

function Jobs({ jobs }: { jobs: Job[] }) {
  return (
    <ul className="list">
      {jobs.map((job) => (
        <JobLine
          key={nodeIdOf("job", job.namespace, job.name)}
          job={job}
          called={calledShort(job)}
          state={job.latestRun?.outcome}
          at={job.latestRun?.endedAt ?? job.updatedAt}
        />
      ))}
    </ul>
  );
}

function Runs({ runs }: { runs: BoardRun[] }) {
  return (
    <ul className="list">
      {runs.map(({ id, job, displayName, state, startedAt, endedAt }) => (
        <JobLine
          key={id}
          job={job}
          called={displayName ?? shortName(job.name)}
          state={state}
          at={endedAt ?? startedAt}
        />
      ))}
    </ul>
  );
}

function JobLine({
  job,
  called,
  state,
  at,
}: {
  job: JobName;
  called: string;
  state: Outcome | undefined;
  at: string | null;
}) {
  return (
    <li>
      <State state={state} />
      <span className="grow">
        <Name
          name={job.name}
          short={called}
          href={linkTo("lineage", { nodeId: nodeIdOf("job", job.namespace, job.name) })}
        />
      </span>
      <span className="end">{ago(at)}</span>
    </li>
  );
}
