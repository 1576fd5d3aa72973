/** Places of nodes, left to right, computed by ELK in a worker that is loaded with the first graph. */

import ELK, { type ElkNode, type ELK as Engine } from "elkjs/lib/elk-api.js";
import workerUrl from "elkjs/lib/elk-worker.min.js?url";
import type { Edge } from "./graph";
import { layersOf, type Places, type Sized } from "./layers";
import { LABEL_GAP } from "./sizes";

/**
 * Beyond this number of nodes the layout is plain layers: ELK takes longer than a reader waits, and few would see a
 * difference.
 */
const MANY = 60;

let engine: Engine | undefined;

/** Starts the worker, so that it is ready when the answer comes. */
export function prepareLayout(): Engine {
  engine ??= new ELK({ workerUrl });
  return engine;
}

/** `isWide` leaves room for labels between the layers. */
export async function layOut(nodes: readonly Sized[], edges: readonly Edge[], isWide = false): Promise<Places> {
  if (!nodes.length) return new Map();
  if (nodes.length > MANY) return layersOf(nodes, edges, isWide ? LABEL_GAP : undefined);
  const graph: ElkNode = {
    id: "graph",
    layoutOptions: optionsFor(isWide),
    children: nodes.map(({ id, width, height }) => ({ id, width, height })),
    edges: edges.map(({ from, to }, index) => ({ id: `e${index}`, sources: [from], targets: [to] })),
  };
  const placed = await prepareLayout().layout(graph);
  return new Map((placed.children ?? []).map(({ id, x = 0, y = 0 }) => [id, { x, y }]));
}

function optionsFor(isWide: boolean): Record<string, string> {
  return {
    "elk.algorithm": "layered",
    "elk.direction": "RIGHT",
    "elk.edgeRouting": "POLYLINE",
    "elk.spacing.nodeNode": "22",
    "elk.spacing.componentComponent": "48",
    "elk.layered.spacing.nodeNodeBetweenLayers": String(isWide ? LABEL_GAP : 84),
    "elk.layered.spacing.edgeNodeBetweenLayers": "20",
    "elk.layered.thoroughness": "7",
    "elk.layered.layering.strategy": "NETWORK_SIMPLEX",
    "elk.layered.nodePlacement.bk.fixedAlignment": "BALANCED",
    "elk.layered.crossingMinimization.greedySwitch.type": "TWO_SIDED",
  };
}
