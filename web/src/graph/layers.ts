/**
 * A plain layered layout, for pictures of so many nodes that nobody reads them one by one: in linear time, where ELK
 * takes seconds. A node is one layer right of its furthest input; edges that close a cycle do not count.
 */

import type { Edge } from "./graph";

export interface Sized {
  id: string;
  width: number;
  height: number;
}

export type Places = ReadonlyMap<string, { x: number; y: number }>;

const LAYER_GAP = 130;
const NODE_GAP = 22;
const SWEEPS = 4;

export function layersOf(nodes: readonly Sized[], edges: readonly Edge[], gap = LAYER_GAP): Places {
  const forward = withoutCycles(nodes, edges);
  const inputs = ends(forward, "to", "from");
  const outputs = ends(forward, "from", "to");
  const layers: string[][] = [];
  for (const [id, layer] of depths(nodes, inputs, outputs)) {
    layers[layer] ??= [];
    layers[layer].push(id);
  }
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isDown = sweep % 2 === 0;
    const order = isDown ? layers : layers.toReversed();
    order.slice(1).forEach((layer, index) => {
      arrange(layer, order[index]!, isDown ? inputs : outputs);
    });
  }
  return placed(layers, new Map(nodes.map((node) => [node.id, node])), gap);
}

/** Sorts a layer by where the neighbours of its nodes are in the layer before. */
function arrange(layer: string[], before: readonly string[], neighbours: ReadonlyMap<string, readonly string[]>): void {
  const ranks = new Map(before.map((id, index) => [id, index / before.length]));
  const centres = new Map(
    layer.map((id, index) => {
      const found = (neighbours.get(id) ?? []).flatMap((other) => ranks.get(other) ?? []);
      return [id, found.length ? found.reduce((sum, rank) => sum + rank, 0) / found.length : index / layer.length];
    }),
  );
  layer.sort((one, other) => centres.get(one)! - centres.get(other)!);
}

function placed(layers: readonly string[][], sizes: ReadonlyMap<string, Sized>, gap: number): Places {
  const places = new Map<string, { x: number; y: number }>();
  const heights = layers.map((layer) => layer.reduce((sum, id) => sum + sizes.get(id)!.height + NODE_GAP, 0));
  const highest = Math.max(...heights);
  let x = 0;
  for (const [index, layer] of layers.entries()) {
    let y = (highest - heights[index]!) / 2;
    for (const id of layer) {
      places.set(id, { x, y });
      y += sizes.get(id)!.height + NODE_GAP;
    }
    x += Math.max(...layer.map((id) => sizes.get(id)!.width)) + gap;
  }
  return places;
}

/** The layer of each node, by the longest path to it. */
function depths(
  nodes: readonly Sized[],
  inputs: ReadonlyMap<string, readonly string[]>,
  outputs: ReadonlyMap<string, readonly string[]>,
): Map<string, number> {
  const open = new Map(nodes.map(({ id }) => [id, inputs.get(id)?.length ?? 0]));
  const result = new Map(nodes.map(({ id }) => [id, 0]));
  const ready = nodes.map(({ id }) => id).filter((id) => !open.get(id));
  for (let index = 0; index < ready.length; index++) {
    const id = ready[index]!;
    for (const next of outputs.get(id) ?? []) {
      result.set(next, Math.max(result.get(next)!, result.get(id)! + 1));
      open.set(next, open.get(next)! - 1);
      if (!open.get(next)) ready.push(next);
    }
  }
  return result;
}

/** The edges without those that lead back to a node on the way: a walk in depth, without recursion. */
function withoutCycles(nodes: readonly Sized[], edges: readonly Edge[]): Edge[] {
  const outputs = ends(edges, "from", "to");
  const state = new Map<string, "open" | "done">();
  const back = new Set<string>();
  for (const { id: root } of nodes) {
    if (state.has(root)) continue;
    state.set(root, "open");
    const stack: [string, number][] = [[root, 0]];
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const [id, next] = top;
      const to = outputs.get(id)?.[next];
      top[1]++;
      if (to === undefined) {
        state.set(id, "done");
        stack.pop();
      } else if (state.get(to) === "open") back.add(`${id}\n${to}`);
      else if (!state.has(to)) {
        state.set(to, "open");
        stack.push([to, 0]);
      }
    }
  }
  return edges.filter(({ from, to }) => !back.has(`${from}\n${to}`));
}

function ends(edges: readonly Edge[], key: "from" | "to", value: "from" | "to"): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const edge of edges) {
    const list = found.get(edge[key]);
    if (list) list.push(edge[value]);
    else found.set(edge[key], [edge[value]]);
  }
  return found;
}
