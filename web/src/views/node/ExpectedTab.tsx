/** What is expected of a job, or of the writers of a dataset, and its newest runs beside what was usual. */

import { type Expected, expectations, type Measured, type PastRun } from "../../api/expectations";
import { useLookup } from "../../api/useLookup";
import { Empty, Loaded } from "../../parts/Feedback";
import { Name } from "../../parts/Name";
import { State } from "../../parts/State";
import { type Column, Table } from "../../parts/Table";
import { linkTo } from "../../routing/location";
import { ago, bytes, count, duration, moment } from "../../text/amounts";
import { oneLine, splitNodeId } from "../../text/names";
import { BandPlot, isUnusual, type MeasuredRun } from "../run/BandPlot";
import { SaidTable } from "../runs/SaidTable";

const SECOND_MS = 1000;
const seconds = (amount: number): string => duration(amount * SECOND_MS);

export function ExpectedTab({ nodeId }: { nodeId: string }) {
  const lookup = useLookup(nodeId, (signal) => expectations({ nodeId }, signal));
  return (
    <Loaded lookup={lookup} what="what is expected">
      {({ expectations: found, said = [] }) => (
        <>
          <SaidTable said={said} />
          {found.map((each) => (
            <OfJob key={each.nodeId} expected={each} />
          ))}
          {found.length === 0 && (
            <Empty>No job is known to write this, so nothing can be said about when it comes.</Empty>
          )}
        </>
      )}
    </Loaded>
  );
}

function OfJob({ expected }: { expected: Expected }) {
  const { nodeId, job, history = [] } = expected;
  const measured = (of: (run: PastRun) => Measured): MeasuredRun[] => history.map((run) => ({ ...run, ...of(run) }));
  return (
    <>
      <div className="card">
        <h2>
          <Name name={job.name} href={linkTo("node", { nodeId, tab: "expected" })} />
        </h2>
        <Due expected={expected} />
      </div>
      {history.length > 0 && (
        <>
          <div className="cards plots">
            <BandPlot title="Rows written" runs={measured(({ rows }) => rows)} text={count} />
            <BandPlot title="Lateness" runs={measured(lateness)} text={late} />
            <BandPlot title="Duration" runs={measured((run) => run.seconds)} text={seconds} />
            <BandPlot title="Bytes written" runs={measured((run) => run.bytes)} text={bytes} />
          </div>
          <Table
            caption={`Runs of ${oneLine(job.name)}`}
            file="runs"
            rows={history.toReversed()}
            keyOf={({ run }) => run}
            columns={COLUMNS}
          />
        </>
      )}
    </>
  );
}

/** When the next run is due; without a timetable, why nothing is claimed. */
export function Due({ expected }: { expected: Expected }) {
  const { state, timetable, reason, dueAt, latestAt, lastStartedAt, waitsFor } = expected;
  return (
    <dl className="facts">
      <dt>State</dt>
      <dd>
        <State state={state} />{" "}
        {waitsFor && (
          <>
            for <Name name={splitNodeId(waitsFor).name} href={linkTo("node", { nodeId: waitsFor, tab: "expected" })} />
          </>
        )}
      </dd>
      <dt>Runs</dt>
      <dd>
        {timetable ? oneLine(timetable) : <span className="muted">nothing is claimed: {oneLine(reason ?? "")}</span>}
      </dd>
      {dueAt && (
        <>
          <dt>Next due</dt>
          <dd>
            {moment(dueAt)}{" "}
            <span className="muted">
              {ago(dueAt)}, late after {moment(latestAt)}
            </span>
          </dd>
        </>
      )}
      <dt>Last start</dt>
      <dd>{lastStartedAt ? moment(lastStartedAt) : <span className="muted">none known</span>}</dd>
    </dl>
  );
}

/** By how many seconds a run began after it was due; it may be as late as is usual. */
export function lateness({ startedAt, dueAt, latestAt }: PastRun): Measured {
  if (!dueAt || !latestAt) return { amount: null };
  const after = (time: string): number => (Date.parse(time) - Date.parse(dueAt)) / SECOND_MS;
  return { amount: after(startedAt), low: Math.min(after(startedAt), 0), high: after(latestAt) };
}

function late(amount: number): string {
  return amount < 0 ? `${seconds(-amount)} early` : seconds(amount);
}

const COLUMNS: Column<PastRun>[] = [
  {
    name: "Started",
    value: ({ startedAt }) => startedAt,
    show: ({ startedAt, failed }) => (
      <>
        {moment(startedAt)} {failed && <State state="FAILED" />}
      </>
    ),
  },
  { name: "Due", value: ({ dueAt }) => dueAt ?? "", show: ({ dueAt }) => (dueAt ? moment(dueAt) : "") },
  measuredColumn("Late by", lateness, late),
  measuredColumn("Duration", (run) => run.seconds, seconds),
  measuredColumn("Rows", ({ rows }) => rows, count),
  measuredColumn("Bytes", (run) => run.bytes, bytes),
];

function measuredColumn(
  name: string,
  of: (run: PastRun) => Measured,
  text: (amount: number) => string,
): Column<PastRun> {
  return {
    name,
    value: (run) => of(run).amount ?? 0,
    show: (run) => {
      const { amount, usual } = of(run);
      if (amount === null) return "";
      if (!isUnusual({ ...run, ...of(run) })) return text(amount);
      return (
        <span className="chip warn">
          {usual === undefined ? text(amount) : `${text(amount)}, usually ${text(usual)}`}
        </span>
      );
    },
    isNumber: true,
  };
}
