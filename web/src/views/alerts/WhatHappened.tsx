/** What an alert tells, in sentences, and the ways of the columns that it is about. */

import type { Alert } from "../../api/alerts";
import { linkTo } from "../../routing/location";
import { oneLine, splitNodeId } from "../../text/names";

/** How many columns of a new type, and how many removed ones, have a link to their way. */
const WAYS = 10;

export function WhatHappened({ alert }: { alert: Alert }) {
  const { nodeId, details = {}, lines = [] } = alert;
  const isBreaking = Boolean(details.breaks?.items.length);
  return (
    <div className="card">
      <h2>What happened</h2>
      {alert.hidden && <p className="muted">It names nodes that your key may not read, so its text is left out.</p>}
      {(isBreaking ? lines.slice(0, 3) : lines).map((line, index) => (
        <p key={index} className="inert">
          {oneLine(line)}
        </p>
      ))}
      {details.causes?.map(
        ({ nodeId: cause, alertId }) =>
          alertId && (
            <p key={alertId}>
              <a className="inert" href={linkTo("alerts", { id: alertId })}>
                it follows from the change of {oneLine(splitNodeId(cause).name)}
              </a>
            </p>
          ),
      )}
      {details.retyped?.slice(0, WAYS).map(({ field }) => (
        <p key={field}>
          <a className="inert" href={linkTo("lineage", { nodeId, table: nodeId, column: field })}>
            the lineage path of {oneLine(field)}
          </a>
        </p>
      ))}
      {details.removed?.slice(0, WAYS).map(({ field }) => (
        <p key={field}>
          <a
            className="inert"
            href={linkTo("lineage", { nodeId, table: nodeId, column: field, asOf: justBefore(alert.time) })}
          >
            the lineage path of {oneLine(field)} before it was removed
          </a>
        </p>
      ))}
    </div>
  );
}

/** The last time at which a column was there that an event removed. */
function justBefore(time: string): string {
  return new Date(Date.parse(time) - 1).toISOString();
}
