/** What people expect of datasets and jobs by headwater.yml: whether it is met, and when the data will come. */

import type { Said } from "../../api/expectations";
import { Name } from "../../parts/Name";
import { State } from "../../parts/State";
import { type Column, Table } from "../../parts/Table";
import { linkTo } from "../../routing/location";
import { ago, moment } from "../../text/amounts";
import { oneLine, splitNodeId } from "../../text/names";

/** Rows that are shown at first, but all that are not well. */
const FIRST = 5;

export function SaidTable({ said }: { said: readonly Said[] }) {
  if (said.length === 0) return null;
  const rows = said.toSorted((a, b) => Number(isWell(a)) - Number(isWell(b)));
  return (
    <>
      <h2>Said by people</h2>
      <Table
        caption="Said by people"
        file="said"
        rows={rows}
        keyOf={({ nodeId, said: words }) => `${nodeId} ${words}`}
        most={said.filter((each) => !isWell(each)).length + FIRST}
        columns={COLUMNS}
      />
    </>
  );
}

const isWell = ({ state }: Said): boolean => state === "MET" || state === "EXPECTED";

const COLUMNS: Column<Said>[] = [
  { name: "State", value: ({ state }) => state, show: ({ state }) => <State state={state} /> },
  {
    name: "Of",
    value: ({ nodeId }) => splitNodeId(nodeId).name,
    show: ({ nodeId }) => <Name name={splitNodeId(nodeId).name} href={linkTo("node", { nodeId, tab: "expected" })} />,
  },
  { name: "Said", value: ({ said }) => oneLine(said) },
  { name: "By", value: ({ dueAt }) => dueAt, show: ({ dueAt }) => <Time at={dueAt} /> },
  {
    name: "Comes",
    value: ({ earliestAt, estimatedAt }) => earliestAt ?? estimatedAt ?? "",
    show: ({ earliestAt, estimatedAt }) =>
      earliestAt ? (
        <>
          <Time at={earliestAt} /> or later
        </>
      ) : (
        estimatedAt && (
          <>
            about <Time at={estimatedAt} />
          </>
        )
      ),
  },
  {
    name: "Because",
    value: ({ cause }) => (cause ? `${splitNodeId(cause.nodeId).name} ${cause.why}` : ""),
    show: ({ cause }) =>
      cause && (
        <>
          <Name
            name={splitNodeId(cause.nodeId).name}
            href={linkTo("node", { nodeId: cause.nodeId, tab: "expected" })}
          />{" "}
          {oneLine(cause.why)}
        </>
      ),
  },
  {
    name: "Written",
    value: ({ lastWrittenAt }) => lastWrittenAt ?? "",
    show: ({ lastWrittenAt }) => moment(lastWrittenAt),
  },
];

function Time({ at }: { at: string }) {
  return (
    <>
      {moment(at)} <span className="muted">{ago(at)}</span>
    </>
  );
}
