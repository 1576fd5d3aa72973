/**
 * The time of the picture: now, or any time since the first event, by a slider or a date. The slider has ticks where
 * something happened: what the picture knows of its nodes, and the newest runs or versions of the one in the centre.
 */

import { useEffect, useEffectEvent, useMemo, useState } from "react";
import { runsOf, versions } from "../../api/nodes";
import { useLookup } from "../../api/useLookup";
import type { Graph } from "../../graph/graph";
import { nextTick, placed, type Tick, ticksOfGraph, ticksOfRun, ticksOfVersions } from "../../graph/ticks";
import { Icon } from "../../parts/Icon";
import { changeParameters, linkTo } from "../../routing/location";
import { moment } from "../../text/amounts";
import { splitNodeId } from "../../text/names";

const STEPS = 1000;
const SETTLED_MS = 350;
/** Runs or versions of the node in the centre that are asked for. */
const MOST = 60;

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
  const ticks = useTicks(graph, nodeId);
  const position = slid ?? Math.round((STEPS * (at - first)) / (now - first));
  return (
    <div className={`time${asOf ? " past" : ""}`}>
      <Icon name="clock" />
      {asOf && (
        <span role="status">
          You look at the past: <b>{moment(asOf)}</b>
        </span>
      )}
      <Jump label="Earlier run or change" icon="left" to={nextTick(ticks, at, -1)} />
      <span className="slider">
        <input
          type="range"
          min={0}
          max={STEPS}
          value={position}
          aria-label="Time of the graph"
          aria-valuetext={moment(new Date(at).toISOString())}
          onChange={(event) => setSlid(Number(event.target.value))}
        />
        <Ticks ticks={ticks} first={first} last={now} />
      </span>
      <Jump label="Later run or change" icon="right" to={nextTick(ticks, at, 1)} />
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

/** What happened to the nodes of the picture, and to the one in the centre at any time. */
function useTicks(graph: Graph, nodeId: string): Tick[] {
  const lookup = useLookup(nodeId, async (signal): Promise<Tick[]> => {
    const { kind, name } = splitNodeId(nodeId);
    if (kind !== "job") return ticksOfVersions((await versions(nodeId, { limit: MOST }, signal)).versions, name);
    const { runs } = await runsOf(nodeId, { limit: MOST }, signal);
    return runs.flatMap((run) => ticksOfRun(run, name));
  });
  const ofCentre = lookup.value;
  return useMemo(() => [...ticksOfGraph(graph), ...(ofCentre ?? [])], [graph, ofCentre]);
}

function Ticks({ ticks, first, last }: { ticks: readonly Tick[]; first: number; last: number }) {
  return (
    <svg viewBox={`0 0 ${STEPS} 8`} preserveAspectRatio="none" aria-hidden="true">
      {[...placed(ticks, first, last, STEPS)].map(([place, { kind, text }]) => (
        <line key={place} className={kind} x1={place} x2={place} y1={0} y2={8} vectorEffect="non-scaling-stroke">
          <title>{text}</title>
        </line>
      ))}
    </svg>
  );
}

/** Goes to the time of a tick: what happened then is in the picture. */
function Jump({ label, icon, to }: { label: string; icon: "left" | "right"; to: Tick | undefined }) {
  return (
    <button
      className="quiet"
      aria-label={label}
      title={to?.text ?? label}
      disabled={!to}
      onClick={() => to && changeParameters({ asOf: new Date(to.at).toISOString() })}
    >
      <Icon name={icon} />
    </button>
  );
}
