/** The refused events of the week by producer, key and fault, each with the remedy. */

import { Truncated } from "../../parts/Feedback";
import { Table } from "../../parts/Table";
import { ago, counted } from "../../text/amounts";
import { oneLine } from "../../text/names";
import { faultOf, type Refusals, remedyOf } from "./refusals";

export function RefusalTable({ refusals, truncated, seesAll }: Refusals & { seesAll: boolean }) {
  const total = refusals.reduce((sum, { count }) => sum + count, 0);
  return (
    <div className="card wide">
      <h2>
        Refused events of the last week <span className="muted">{total > 0 && counted(total, "event")}</span>
      </h2>
      {!seesAll && (
        <p className="note">
          Only what was refused to this key: a key that reads every namespace sees the refusals of all.
        </p>
      )}
      {truncated && <Truncated>Only the newest 5,000 requests.</Truncated>}
      {refusals.length ? (
        <Table
          caption="Refused events"
          file="refusals"
          rows={refusals}
          keyOf={({ producer, key, status, path }) => JSON.stringify([producer, key, status, path])}
          columns={[
            {
              name: "Producer",
              value: ({ producer }) => producer ?? "not read",
              show: ({ producer }) => (producer ? oneLine(producer) : <span className="muted">not read</span>),
            },
            {
              name: "Key",
              value: ({ key }) => key ?? "none valid",
              show: ({ key }) => (key ? <bdi>{oneLine(key)}</bdi> : <span className="muted">none valid</span>),
            },
            { name: "Fault", value: faultOf },
            { name: "Events", value: ({ count }) => count, isNumber: true },
            { name: "Last", value: ({ lastAt }) => lastAt, show: ({ lastAt }) => ago(lastAt) },
            { name: "Remedy", value: remedyOf },
          ]}
        />
      ) : (
        <p className="muted">None{seesAll ? "" : " of this key"}: each event was taken.</p>
      )}
    </div>
  );
}
