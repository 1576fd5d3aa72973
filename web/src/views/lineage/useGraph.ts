/**
 * The graph around a node: asked for in both directions, one hop further than shown, so that handles know what they
 * hide.
 */

import { useCallback, useEffect, useMemo, useState } from "react";
import { type Expected, expectations } from "../../api/expectations";
import { get, type Query } from "../../api/request";
import type { DatasetInGraph, Lineage } from "../../api/types";
import { type Lookup, useLookup } from "../../api/useLookup";
import { EMPTY, type Graph, neighbours, type Side, withAnswer, withDue } from "../../graph/graph";
import { comfortableDepth, FAN, MAX_AUTO_DEPTH, sideKey, type Visible, visible } from "../../graph/visible";

const PAGE = 2000;
/** Jobs that are due, of which cards tell. */
const MOST_DUE = 500;
const STEP_DEPTH = 1;

export interface Wish {
  nodeId: string;
  up: number | null;
  down: number | null;
  asOf: string;
  rollup: string;
  view: string;
}

export interface Answer {
  graph: Graph;
  centre: string;
  /** Whether an answer was cut, and the graph goes on. */
  isTruncated: boolean;
  /** Sides of which a part was fetched, with the cursor of the next part; null: no request leads further. */
  cursors: ReadonlyMap<string, string | null>;
  /** About how many neighbours there are on a side of which an answer lacks some. */
  totals: ReadonlyMap<string, number>;
}

const NOTHING: Omit<Answer, "centre"> = {
  graph: EMPTY,
  isTruncated: false,
  cursors: new Map(),
  totals: new Map(),
};

export interface ShownGraph {
  lookup: Lookup<Answer>;
  graph: Graph;
  centre: string;
  shown: Visible;
  /** About how many neighbours on a side no answer has named yet. */
  unnamed: ReadonlyMap<string, number>;
  depth: { up: number; down: number };
  expand: (id: string, side: Side) => void;
  collapse: (id: string, side: Side) => void;
  /** The side that is being fetched. */
  busy: string | null;
  failure: string | null;
}

export function useGraph(wish: Wish): ShownGraph {
  const { nodeId, asOf, rollup, view } = wish;
  const upDepth = (wish.up ?? MAX_AUTO_DEPTH) + 1;
  const downDepth = (wish.down ?? MAX_AUTO_DEPTH) + 1;
  const question = JSON.stringify([nodeId, asOf, rollup, view, upDepth, downDepth]);
  const common = useMemo(() => ({ nodeId, asOf, rollup, view, limit: PAGE }), [nodeId, asOf, rollup, view]);
  const lookup = useLookup(question, (signal) => askBothWays(common, upDepth, downDepth, signal));
  const [kept, setKept] = useState<Answer>({ ...NOTHING, centre: nodeId });
  const [chosen, setChosen] = useState<ReadonlyMap<string, number>>(new Map());
  const [busy, setBusy] = useState<string | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => setChosen(new Map()), [nodeId]);
  useEffect(() => {
    if (lookup.state === "done") setKept(lookup.value);
  }, [lookup.state, lookup.value]);

  const { centre, cursors } = kept;
  const due = useDue(asOf);
  const graph = useMemo(() => withDue(kept.graph, due), [kept.graph, due]);
  const depth = useMemo(() => {
    const comfortable = wish.up === null || wish.down === null ? comfortableDepth(graph, centre) : 0;
    return { up: wish.up ?? comfortable, down: wish.down ?? comfortable };
  }, [graph, centre, wish.up, wish.down]);
  const shown = useMemo(
    () => visible(graph, centre, { ...depth, chosen, isCut: kept.isTruncated }),
    [graph, centre, depth, chosen, kept.isTruncated],
  );

  const unnamed = useMemo(() => unnamedOf(kept), [kept]);

  const expand = useCallback(
    (id: string, side: Side) => {
      const key = sideKey(id, side);
      const already = shownOf(graph, shown, id, side);
      const more = Math.max(FAN, already);
      setChosen((before) => new Map(before).set(key, already + more));
      setFailure(null);
      const cursor = cursors.get(key);
      if (cursor === null || (cursor && (shown.hidden.get(key) ?? 0) > more)) return;
      setBusy(key);
      askMore(common, id, side, cursor)
        .then((answer) => setKept((before) => withPart(before, id, side, answer)))
        .catch((error: unknown) => setFailure(error instanceof Error ? error.message : String(error)))
        .finally(() => setBusy(null));
    },
    [common, cursors, graph, shown],
  );
  const collapse = useCallback(
    (id: string, side: Side) => setChosen((before) => new Map(before).set(sideKey(id, side), 0)),
    [],
  );
  return { lookup, graph, centre, shown, unnamed, depth, expand, collapse, busy, failure };
}

async function askBothWays(common: Query, up: number, down: number, signal: AbortSignal): Promise<Answer> {
  const [upstream, downstream] = await Promise.all([
    get<Lineage>("lineage", { ...common, direction: "upstream", depth: up }, signal),
    get<Lineage>("lineage", { ...common, direction: "downstream", depth: down }, signal),
  ]);
  const graph = withAnswer(withAnswer(EMPTY, upstream), downstream);
  const totals = new Map([...totalsOf(upstream, "up"), ...totalsOf(downstream, "down")]);
  return {
    ...NOTHING,
    graph,
    centre: centreOf(String(common.nodeId), upstream, downstream),
    isTruncated: isTruncated(upstream) || isTruncated(downstream),
    totals,
  };
}

/** What is due now. The picture does not wait for it, and is complete without it but for this. */
function useDue(asOf: string): readonly Expected[] {
  const lookup = useLookup(`due ${asOf}`, (signal) =>
    asOf ? Promise.resolve(null) : expectations({ limit: MOST_DUE }, signal),
  );
  return useMemo(
    () => (lookup.state === "done" ? (lookup.value?.expectations ?? []) : []),
    [lookup.state, lookup.value],
  );
}

function isTruncated({ truncated, cursor }: Lineage): boolean {
  return Boolean(truncated || cursor);
}

/** About how many neighbours the datasets of an answer have on its side, where the answer lacks some. */
function totalsOf({ graph }: Lineage, side: Side): [string, number][] {
  return graph.flatMap(({ id, data }) => {
    const { estimatedReaders, estimatedWriters } = data as Partial<DatasetInGraph>;
    const total = side === "up" ? estimatedWriters : estimatedReaders;
    return total === undefined ? [] : [[sideKey(id, side), total]];
  });
}

function unnamedOf({ graph, totals }: Answer): Map<string, number> {
  const named = new Map(
    (["up", "down"] as const).flatMap((side) =>
      [...graph[side]].map(([id, others]) => [sideKey(id, side), others.length]),
    ),
  );
  return new Map(
    [...totals]
      .map(([key, total]): [string, number] => [key, total - (named.get(key) ?? 0)])
      .filter(([, count]) => count > 0),
  );
}

/** The graph with the next part of a side. A whole answer has all neighbours of the side. */
function withPart(before: Answer, id: string, side: Side, answer: Lineage): Answer {
  const key = sideKey(id, side);
  const totals = new Map(before.totals);
  if (!isTruncated(answer)) totals.delete(key);
  for (const [other, total] of totalsOf(answer, side)) totals.set(other, total);
  return {
    ...before,
    graph: withAnswer(before.graph, answer),
    cursors: new Map(before.cursors).set(key, answer.cursor ?? null),
    totals,
  };
}

/** The node that was asked for: under another of its names it is the node that both directions begin with. */
function centreOf(nodeId: string, upstream: Lineage, downstream: Lineage): string {
  const ids = new Set(upstream.graph.map(({ id }) => id));
  if (ids.has(nodeId)) return nodeId;
  return downstream.graph.find(({ id }) => ids.has(id))?.id ?? nodeId;
}

function askMore(common: Query, nodeId: string, side: Side, cursor?: string): Promise<Lineage> {
  const direction = side === "up" ? "upstream" : "downstream";
  return get<Lineage>("lineage", { ...common, nodeId, direction, depth: STEP_DEPTH, cursor });
}

function shownOf(graph: Graph, shown: Visible, id: string, side: Side): number {
  return neighbours(graph, id, side).filter((other) => shown.ids.has(other)).length;
}
