/** The bar above the picture: how far, how grouped, what matches, as a graph or as a table, saved as what. */

import { useState } from "react";
import { Icon } from "../../parts/Icon";
import { useTitle } from "../../parts/useTitle";
import type { Scene } from "../../picture/scene";
import type { Placed } from "../../picture/usePlaces";
import { changeParameters, linkTo } from "../../routing/location";
import { count, counted } from "../../text/amounts";
import { calledShort, oneLine, splitNodeId } from "../../text/names";
import { Filters } from "./Filters";
import type { LineageParameters } from "./parameters";
import { SaveMenu } from "./SaveMenu";
import type { ShownGraph } from "./useGraph";

const DAY = 86_400_000;

interface Properties {
  wanted: LineageParameters;
  shownGraph: ShownGraph;
  scene: Scene;
  placed: Placed | null;
  isTimeOpen: boolean;
  onTime: () => void;
}

export function Toolbar({ wanted, shownGraph, scene, placed, isTimeOpen, onTime }: Properties) {
  const { graph, depth, centre, shown, unnamed } = shownGraph;
  const hiddenCount = [...shown.hidden.values(), ...unnamed.values()].reduce((sum, count) => sum + count, 0);
  const { kind, name } = splitNodeId(wanted.wish.nodeId);
  const called = calledShort(graph.nodes.get(centre) ?? { name });
  useTitle(called);
  const { filter } = wanted;
  const active = [filter.text, filter.kind, filter.state, filter.tag, filter.owner].filter(Boolean).length;
  const [isOpen, setOpen] = useState(active > 0);
  return (
    <div className="toolbar">
      <h1 title={name}>
        <Icon name={kind === "job" ? "job" : "table"} /> <bdi>{oneLine(called)}</bdi>
      </h1>
      <span className="muted count" role="status">
        {counted(scene.nodes.length, "node")}
        {hiddenCount > 0 && `, ${unnamed.size > 0 ? "about " : ""}${count(hiddenCount)} behind handles`}
      </span>
      <a className="button" href={linkTo("why", { nodeId: centre, asOf: wanted.wish.asOf })}>
        <Icon name="why" /> <span className="label">Why?</span>
      </a>
      {kind === "dataset" && (
        <a className="button" href={linkTo("impact", { nodeId: centre })}>
          <Icon name="impact" /> <span className="label">Impact</span>
        </a>
      )}
      <span className="push" />
      <Stepper label="Upstream" value={depth.up} name="up" />
      <Stepper label="Downstream" value={depth.down} name="down" />
      <button className={active ? "on" : ""} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="filter" /> <span className="label">Filter</span>
        {active > 0 && ` (${active})`}
      </button>
      <button
        className={wanted.wish.asOf ? "on" : ""}
        title="Look at another time"
        aria-expanded={isTimeOpen}
        onClick={onTime}
      >
        <Icon name="clock" /> <span className="label">{wanted.wish.asOf ? "Past" : "Now"}</span>
      </button>
      {!wanted.since && (
        <button
          title="Compare with yesterday, or any other time"
          onClick={() => changeParameters({ since: new Date(Date.now() - DAY).toISOString() })}
        >
          <Icon name="change" /> <span className="label">Compare</span>
        </button>
      )}
      <label className="select">
        <span className="hidden">Group by</span>
        <select
          value={wanted.grouping}
          onChange={(event) => changeParameters({ group: event.target.value === "none" ? null : event.target.value })}
        >
          <option value="none">No groups</option>
          <option value="application">By application</option>
          <option value="namespace">By namespace</option>
          <option value="owner">By owner</option>
        </select>
      </label>
      <div className="switch" role="group" aria-label="Show as">
        <button aria-pressed={!wanted.asTable} onClick={() => changeParameters({ as: "graph" })}>
          Graph
        </button>
        <button aria-pressed={wanted.asTable} onClick={() => changeParameters({ as: "table" })}>
          Table
        </button>
      </div>
      <SaveMenu wanted={wanted} depth={depth} scene={scene} placed={placed} />
      {isOpen && <Filters filter={filter} graph={graph} isActive={active > 0} />}
    </div>
  );
}

function Stepper({ label, value, name }: { label: string; value: number; name: "up" | "down" }) {
  return (
    <span className="stepper" role="group" aria-label={`${label} hops`}>
      <button
        aria-label={`Fewer hops ${label.toLowerCase()}`}
        disabled={value <= 0}
        onClick={() => changeParameters({ [name]: value - 1 })}
      >
        <Icon name="minus" />
      </button>
      <span title={`${label}: ${value} hops`}>
        {name === "up" ? "← " : ""}
        <b>{value}</b> <span className="word">{name}</span>
        {name === "down" ? " →" : ""}
      </span>
      <button
        aria-label={`More hops ${label.toLowerCase()}`}
        disabled={value >= 99}
        onClick={() => changeParameters({ [name]: value + 1 })}
      >
        <Icon name="plus" />
      </button>
    </span>
  );
}
