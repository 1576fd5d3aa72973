/** Who writes and reads a dataset, its last write, its newest alerts and changes, and the rows of its writes. */

import { type Alert, alerts } from "../../api/alerts";
import { type Versions, versions } from "../../api/nodes";
import { get } from "../../api/request";
import type { Dataset, Lineage, Run } from "../../api/types";
import { useLookup } from "../../api/useLookup";
import { Loaded } from "../../parts/Feedback";
import { Name } from "../../parts/Name";
import { hoursAgo } from "../../parts/Since";
import { Severity, State } from "../../parts/State";
import { linkTo } from "../../routing/location";
import { ago, count, counted, moment } from "../../text/amounts";
import { oneLine, shortName } from "../../text/names";
import { Bars } from "../run/Bars";
import { jobOf, lastWrite, rowsByRun, schemaChanges, type User, type Users as UsersOf, usersOf } from "./uses";
import { SchemaChanges } from "./VersionsTab";

const MOST_VERSIONS = 60;
const MOST_ALERTS = 200;
const MOST_NAMES = 8;
/** Nodes of the graph that is asked for: of a table with more neighbours, the answer estimates their number. */
const MOST_USERS = 100;
const WEEK_HOURS = 168;

interface Found extends UsersOf {
  written: Versions;
  told: Alert[];
}

export function Uses({ nodeId, dataset }: { nodeId: string; dataset: Dataset }) {
  const lookup = useLookup(nodeId, (signal) => find(nodeId, dataset, signal));
  return (
    <Loaded lookup={lookup} what="its writers and readers">
      {(found) => (
        <>
          <Facts nodeId={nodeId} dataset={dataset} found={found} />
          <Rows found={found} />
        </>
      )}
    </Loaded>
  );
}

async function find(nodeId: string, dataset: Dataset, signal: AbortSignal): Promise<Found> {
  const { namespace, name } = dataset;
  const [graph, written, told] = await Promise.all([
    get<Lineage>("lineage", { nodeId, direction: "both", depth: 1, limit: MOST_USERS }, signal),
    versions(nodeId, { limit: MOST_VERSIONS }, signal),
    alerts({ namespace, open: true, after: hoursAgo(WEEK_HOURS), limit: MOST_ALERTS }, signal),
  ]);
  const own = told.alerts.filter((alert) => alert.namespace === namespace && alert.name === name);
  return { ...usersOf(dataset, graph), written, told: own };
}

function Facts({ nodeId, dataset, found }: { nodeId: string; dataset: Dataset; found: Found }) {
  const { writers, readers, aboutWriters, aboutReaders, written, told } = found;
  const run = lastWrite(dataset, written.versions);
  const changes = schemaChanges(written.versions);
  return (
    <div className="card">
      <h2>Use</h2>
      <dl className="facts">
        <dt>Written by</dt>
        <dd>
          <Users users={writers} nodeId={nodeId} about={aboutWriters} />
        </dd>
        <dt>Last write</dt>
        <dd>
          {dataset.lastWrittenAt ? (
            <Write run={run} at={dataset.lastWrittenAt} />
          ) : (
            <span className="muted">none known</span>
          )}
        </dd>
        <dt>Open alerts of the week</dt>
        <dd>
          {told.slice(0, MOST_NAMES).map(({ id, title, severity, time }) => (
            <div key={id}>
              <Severity severity={severity} /> <a href={linkTo("alerts", { id })}>{oneLine(title)}</a>{" "}
              <span className="muted">{ago(time)}</span>
            </div>
          ))}
          {told.length > MOST_NAMES && <span className="muted">and {count(told.length - MOST_NAMES)} more</span>}
          {!told.length && <span className="muted">none</span>}
        </dd>
        <dt>Schema changes</dt>
        <dd>
          {changes[0] ? (
            <>
              {moment(changes[0].version.createdAt)}
              <SchemaChanges changes={changes[0].changes} />
              <a href={linkTo("node", { nodeId, tab: "versions" })}>
                {counted(changes.length, "change")} in {counted(written.versions.length, "version")}
              </a>
            </>
          ) : (
            <span className="muted">none in {counted(written.versions.length, "version")}</span>
          )}
        </dd>
        <dt>Read by</dt>
        <dd>
          <Users users={readers} nodeId={nodeId} about={aboutReaders} />
        </dd>
      </dl>
    </div>
  );
}

function Write({ run, at }: { run: Run | null; at: string }) {
  if (!run) return moment(at);
  const job = jobOf(run);
  return (
    <>
      <a href={linkTo("run", { id: run.id })}>{moment(at)}</a> <State state={run.outcome} />
      {job && <span className="muted"> by {oneLine(shortName(job.name))}</span>}
    </>
  );
}

/** `about` is the estimated number of all, where the answer lacks some. */
function Users({ users, nodeId, about }: { users: User[]; nodeId: string; about: number | undefined }) {
  const more = Math.max(users.length, about ?? 0) - MOST_NAMES;
  return (
    <>
      {users.slice(0, MOST_NAMES).map((user) => (
        <div key={user.nodeId}>
          <Name name={user.name} called={user.displayName} href={linkTo("node", { nodeId: user.nodeId })} />{" "}
          {user.latestRun && user.latestRun.outcome !== "COMPLETED" && <State state={user.latestRun.outcome} />}
        </div>
      ))}
      {more > 0 && (
        <a href={linkTo("lineage", { nodeId, as: "table" })}>
          and {about ? "about " : ""}
          {count(more)} more
        </a>
      )}
      {!users.length && <span className="muted">no job that reports</span>}
    </>
  );
}

/** The rows of the newest writes, as a plot and as a table that is read out. */
function Rows({ found: { written } }: { found: Found }) {
  const rows = rowsByRun(written.versions);
  const runs = written.versions.flatMap(({ createdByRun }) => createdByRun ?? []);
  if (!runs.length) return null;
  return (
    <div>
      <Bars title="Rows written" runs={runs} measure={({ id }) => rows.get(id) ?? null} unit="count" />
      <table className="hidden">
        <caption>Rows written, newest first</caption>
        <tbody>
          {runs.map((run) => (
            <tr key={run.id}>
              <th scope="row">{moment(run.endedAt ?? run.startedAt ?? run.createdAt)}</th>
              <td>{rows.has(run.id) ? count(rows.get(run.id) ?? 0) : "not reported"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
