/** Places of nodes, left to right, computed by ELK in a worker that is loaded with the first graph. */

import ELK, { type ELK as Engine, type ElkNode } from "elkjs/lib/elk-api.js";
import workerUrl from "elkjs/lib/elk-worker.min.js?url";
import type { Edge } from "./graph";

export interface Sized {
  id: string;
  width: number;
  height: number;
}

export type Places = ReadonlyMap<string, { x: number; y: number }>;

/** Beyond these numbers of nodes, quicker and plainer ways of ELK are taken. */
const LARGE = 300;
const HUGE = 1500;

let engine: Engine | undefined;

/** Starts the worker, so that it is ready when the answer comes. */
export function prepareLayout(): Engine {
  engine ??= new ELK({ workerUrl });
  return engine;
}

/** `isWide` leaves room for labels between the layers. */
export async function layOut(nodes: readonly Sized[], edges: readonly Edge[], isWide = false): Promise<Places> {
  if (!nodes.length) return new Map();
  const graph: ElkNode = {
    id: "graph",
    layoutOptions: optionsFor(nodes.length, isWide),
    children: nodes.map(({ id, width, height }) => ({ id, width, height })),
    edges: edges.map(({ from, to }, index) => ({ id: `e${index}`, sources: [from], targets: [to] })),
  };
  const placed = await prepareLayout().layout(graph);
  return new Map((placed.children ?? []).map(({ id, x = 0, y = 0 }) => [id, { x, y }]));
}

function optionsFor(count: number, isWide: boolean): Record<string, string> {
  return {
    "elk.algorithm": "layered",
    "elk.direction": "RIGHT",
    "elk.edgeRouting": "POLYLINE",
    "elk.spacing.nodeNode": "22",
    "elk.spacing.componentComponent": "48",
    "elk.layered.spacing.nodeNodeBetweenLayers": isWide ? "250" : count > LARGE ? "130" : "84",
    "elk.layered.spacing.edgeNodeBetweenLayers": "20",
    "elk.layered.considerModelOrder.strategy": count > LARGE ? "NONE" : "PREFER_NODES",
    "elk.layered.thoroughness": count > HUGE ? "1" : count > LARGE ? "2" : "7",
    "elk.layered.nodePlacement.strategy": count > LARGE ? "SIMPLE" : "BRANDES_KOEPF",
    "elk.layered.nodePlacement.bk.fixedAlignment": "BALANCED",
    "elk.layered.crossingMinimization.greedySwitch.type": count > LARGE ? "OFF" : "TWO_SIDED",
  };
}
