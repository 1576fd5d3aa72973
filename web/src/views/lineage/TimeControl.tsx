/** The time of the picture: now, or any time since the first event, by a slider or a date. */

import { useEffect, useEffectEvent, useState } from "react";
import type { Graph } from "../../graph/graph";
import { Icon } from "../../parts/Icon";
import { changeParameters, linkTo } from "../../routing/location";
import { moment } from "../../text/amounts";

const STEPS = 1000;
const SETTLED_MS = 350;

export function TimeControl({ asOf, graph, nodeId }: { asOf: string; graph: Graph; nodeId: string }) {
  const now = Date.now();
  const first = Math.min(
    now - 3_600_000,
    ...[...graph.nodes.values()].map(({ dataset, job }) => Date.parse((dataset ?? job)?.createdAt ?? "") || now),
  );
  const [slid, setSlid] = useState<number | null>(null);
  const timeAt = useEffectEvent((steps: number) =>
    steps >= STEPS ? null : new Date(first + ((now - first) * steps) / STEPS).toISOString(),
  );
  useEffect(() => {
    if (slid === null) return;
    const asOf = timeAt(slid); // counted from where the view stands while the slider is moved, and not afterwards
    const timer = setTimeout(() => {
      changeParameters({ asOf });
      setSlid(null);
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [slid]);
  const at = asOf ? Date.parse(asOf) : now;
  const position = slid ?? Math.round((STEPS * (at - first)) / (now - first));
  return (
    <div className={`time${asOf ? " past" : ""}`}>
      <Icon name="clock" />
      {asOf && (
        <span role="status">
          You look at the past: <b>{moment(asOf)}</b>
        </span>
      )}
      <input
        type="range"
        min={0}
        max={STEPS}
        value={position}
        aria-label="Time of the graph"
        aria-valuetext={moment(new Date(at).toISOString())}
        onChange={(event) => setSlid(Number(event.target.value))}
      />
      <input
        type="datetime-local"
        aria-label="Time of the graph, in UTC"
        value={asOf ? asOf.slice(0, 16) : ""}
        onChange={(event) => changeParameters({ asOf: event.target.value ? `${event.target.value}:00Z` : null })}
      />
      <span className="muted">UTC</span>
      {asOf && (
        <>
          <button onClick={() => changeParameters({ asOf: null })}>Back to now</button>
          <a className="button" href={linkTo("lineage", { nodeId, since: asOf })}>
            <Icon name="change" /> What changed since
          </a>
        </>
      )}
    </div>
  );
}
