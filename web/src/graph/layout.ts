/** Places of nodes, left to right, computed by ELK in a worker that is loaded with the first graph. */

import ELK, { type ELK as Engine, type ElkNode } from "elkjs/lib/elk-api.js";
import workerUrl from "elkjs/lib/elk-worker.min.js?url";
import type { Edge } from "./graph";
import { layersOf } from "./layers";

export interface Sized {
  id: string;
  width: number;
  height: number;
}

export type Places = ReadonlyMap<string, { x: number; y: number }>;

/** Beyond these numbers of nodes, ELK takes quicker ways; or no ELK at all, but plain layers. */
const MANY = 60;
const LARGE = 300;

let engine: Engine | undefined;

/** Starts the worker, so that it is ready when the answer comes. */
export function prepareLayout(): Engine {
  engine ??= new ELK({ workerUrl });
  return engine;
}

/** `isWide` leaves room for labels between the layers. */
export async function layOut(nodes: readonly Sized[], edges: readonly Edge[], isWide = false): Promise<Places> {
  if (!nodes.length) return new Map();
  if (nodes.length > LARGE) return layersOf(nodes, edges);
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
    "elk.layered.spacing.nodeNodeBetweenLayers": isWide ? "250" : "84",
    "elk.layered.spacing.edgeNodeBetweenLayers": "20",
    "elk.layered.thoroughness": count > MANY ? "1" : "7",
    "elk.layered.layering.strategy": count > MANY ? "LONGEST_PATH_SOURCE" : "NETWORK_SIMPLEX",
    "elk.layered.nodePlacement.bk.fixedAlignment": "BALANCED",
    "elk.layered.crossingMinimization.greedySwitch.type": count > MANY ? "OFF" : "TWO_SIDED",
  };
}
