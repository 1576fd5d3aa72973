/** The runs of the board as a table: what ran, how it ended, and which part failed. */

import type { BoardRun } from "../../api/runs";
import { Name } from "../../parts/Name";
import { State } from "../../parts/State";
import { Table } from "../../parts/Table";
import { linkTo } from "../../routing/location";
import { duration, moment } from "../../text/amounts";
import { calledWhole, nodeIdOf, oneLine } from "../../text/names";
import { producerOf } from "../../text/producer";

export function BoardTable({ runs }: { runs: BoardRun[] }) {
  return (
    <Table
      caption="Runs"
      file="runs"
      rows={runs}
      most={runs.length}
      keyOf={({ id }) => id}
      columns={[
        { name: "State", value: ({ state }) => state, show: ({ state }) => <State state={state} /> },
        {
          name: "Job",
          value: ({ job: { name }, displayName }) => calledWhole({ name, displayName }),
          show: ({ job, displayName }) => (
            <Name
              name={job.name}
              called={displayName}
              href={linkTo("node", { nodeId: nodeIdOf("job", job.namespace, job.name), tab: "runs" })}
            />
          ),
        },
        { name: "Namespace", value: ({ job }) => job.namespace },
        {
          name: "Started",
          value: ({ startedAt }) => startedAt ?? "",
          show: ({ id, startedAt }) => <a href={linkTo("run", { id })}>{moment(startedAt)}</a>,
        },
        {
          name: "Duration",
          value: ({ durationMs }) => durationMs ?? 0,
          show: ({ durationMs }) => duration(durationMs),
          isNumber: true,
        },
        { name: "What went wrong", value: wrong, show: (run) => <Wrong run={run} /> },
        { name: "Producer", value: ({ producer }) => producerOf(producer) },
      ]}
    />
  );
}

function Wrong({ run }: { run: BoardRun }) {
  const { job, state } = run;
  const isBad = state === "FAILED" || state === "ABORTED";
  return (
    <>
      {oneLine(wrong(run).slice(0, 300))}
      {run.parent && (
        <div className="muted">
          started by <a href={linkTo("run", { id: run.parent.runId })}>{oneLine(run.parent.job.name)}</a>, which has not
          reported
        </div>
      )}
      {isBad && (
        <div>
          <a href={linkTo("why", { nodeId: nodeIdOf("job", job.namespace, job.name), asOf: run.endedAt })}>why?</a>
        </div>
      )}
    </>
  );
}

function wrong({ message, failedChildren, noContactSince }: BoardRun): string {
  if (noContactSince) return `no contact since ${moment(noContactSince)}`;
  const parts = failedChildren.map(({ job }) => job.name);
  return message ?? (failedChildren.length ? `${failedChildren.length} failed: ${parts.join(", ")}` : "");
}
