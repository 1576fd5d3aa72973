/** The jobs whose next run is late, or due within a day, the most urgent first. */

import { type Expected, expectations } from "../../api/expectations";
import { useLookup } from "../../api/useLookup";
import { Loaded, Truncated } from "../../parts/Feedback";
import { Name } from "../../parts/Name";
import { State } from "../../parts/State";
import { Table } from "../../parts/Table";
import { linkTo } from "../../routing/location";
import { ago, count, counted, moment } from "../../text/amounts";
import { splitNodeId } from "../../text/names";
import { SaidTable } from "./SaidTable";

const MOST = 200;
/** Rows that are shown at first, but all that are late. */
const FIRST = 5;

export function DueTable({ namespace }: { namespace: string }) {
  const lookup = useLookup(namespace, (signal) => expectations({ namespace, limit: MOST }, signal), true);
  if (lookup.error?.status === 401) return null; // the list of runs asks for a key
  return (
    <Loaded lookup={lookup} what="what is due">
      {({ expectations: found, totalCount = found.length, said = [] }) => {
        const late = found.filter(({ state }) => isLate(state)).length;
        return (
          <>
            <SaidTable said={said} />
            <h2>
              Due{" "}
              <span className="muted">{totalCount ? `${count(late)} late of ${counted(totalCount, "job")}` : ""}</span>
            </h2>
            {found.length ? (
              <Table
                caption="Due"
                file="due"
                rows={found}
                keyOf={({ nodeId }) => nodeId}
                most={late + FIRST}
                columns={COLUMNS}
              />
            ) : (
              <p className="muted">No job is due within a day, as far as is known.</p>
            )}
            {totalCount > found.length && (
              <Truncated>
                The {found.length} most urgent of {count(totalCount)} jobs.
              </Truncated>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

const isLate = (state: Expected["state"]): boolean => state === "LATE" || state === "WAITING";

const COLUMNS = [
  { name: "State", value: ({ state }: Expected) => state, show: ({ state }: Expected) => <State state={state} /> },
  {
    name: "Job",
    value: ({ job }: Expected) => job.name,
    show: ({ nodeId, job }: Expected) => <Name name={job.name} href={linkTo("node", { nodeId, tab: "expected" })} />,
  },
  { name: "Namespace", value: ({ job }: Expected) => job.namespace },
  {
    name: "Due",
    value: ({ dueAt }: Expected) => dueAt ?? "",
    show: ({ dueAt }: Expected) => (
      <>
        {moment(dueAt)} <span className="muted">{ago(dueAt)}</span>
      </>
    ),
  },
  {
    name: "Late after",
    value: ({ latestAt }: Expected) => latestAt ?? "",
    show: ({ latestAt }: Expected) => moment(latestAt),
  },
  {
    name: "Waits for",
    value: ({ waitsFor }: Expected) => waitsFor ?? "",
    show: ({ waitsFor }: Expected) =>
      waitsFor && (
        <Name name={splitNodeId(waitsFor).name} href={linkTo("node", { nodeId: waitsFor, tab: "expected" })} />
      ),
  },
  { name: "Runs", value: ({ timetable }: Expected) => timetable ?? "" },
];
