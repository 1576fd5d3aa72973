/** Runs as a table. */

import type { Run } from "../../api/types";
import { Name } from "../../parts/Name";
import { State } from "../../parts/State";
import { type Column, Table } from "../../parts/Table";
import { linkTo } from "../../routing/location";
import { bytes, count, duration, moment } from "../../text/amounts";
import { nodeIdOf } from "../../text/names";
import { bytesOf, rowsOf } from "./statistics";

export function RunTable({ runs, file, withJob = false }: { runs: Run[]; file: string; withJob?: boolean }) {
  const columns: Column<Run>[] = [
    { name: "State", value: ({ outcome }) => outcome, show: ({ outcome }) => <State state={outcome} /> },
    {
      name: "Started",
      value: ({ startedAt, createdAt }) => startedAt ?? createdAt,
      show: ({ id, startedAt, createdAt }) => <a href={linkTo("run", { id })}>{moment(startedAt ?? createdAt)}</a>,
    },
    {
      name: "Duration",
      value: ({ durationMs }) => durationMs ?? 0,
      show: ({ durationMs }) => duration(durationMs),
      isNumber: true,
    },
    { name: "Rows", value: (run) => rowsOf(run) ?? 0, show: (run) => numbered(rowsOf(run), count), isNumber: true },
    { name: "Bytes", value: (run) => bytesOf(run) ?? 0, show: (run) => numbered(bytesOf(run), bytes), isNumber: true },
    {
      name: "Error",
      value: (run) => (run.noContactSince ? `no contact since ${moment(run.noContactSince)}` : (run.message ?? "")),
    },
  ];
  const job: Column<Run> = {
    name: "Job",
    value: (run) => run.job?.name ?? "",
    show: (run) =>
      run.job && (
        <Name
          name={run.job.name}
          href={linkTo("lineage", { nodeId: nodeIdOf("job", run.job.namespace, run.job.name) })}
        />
      ),
  };
  return (
    <Table
      caption="Runs"
      file={file}
      rows={runs}
      keyOf={({ id }) => id}
      columns={withJob ? [columns[0]!, job, ...columns.slice(1)] : columns}
    />
  );
}

function numbered(amount: number | null, text: (amount: number) => string): string {
  return amount === null ? "" : text(amount);
}
