/**
 * A large picture from afar: boxes and lines on a canvas, since nobody reads a name there and the browser draws it at
 * once.
 */

import { useStore } from "@xyflow/react";
import { useEffect, useMemo, useRef } from "react";
import { edgeKey, pathBack } from "../../graph/backEdge";
import { conditionOf, type Mark } from "../../graph/marks";
import { lanesIn } from "../../picture/scene";
import type { Placed } from "../../picture/usePlaces";
import { useActions } from "./actions";

const LINES = 20_000;
/** How far below the top of a node its edges begin and end. */
const MIDDLE = 29;

export function FarPicture({ placed, centre }: { placed: Placed; centre: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const transform = useStore((state) => state.transform);
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const { marks } = useActions();
  const ways = useMemo(() => waysOf(placed), [placed]);
  useEffect(() => {
    if (canvas.current && width) draw(canvas.current, placed, ways, centre, marks, transform, width, height);
  }, [placed, ways, centre, marks, transform, width, height]);
  return (
    <canvas
      ref={canvas}
      className="far-picture"
      role="img"
      aria-label={`${placed.scene.nodes.length} nodes from afar. Zoom in to read them, or choose the table.`}
    />
  );
}

/** The node at a point of the picture. */
export function nodeAt({ scene, places }: Placed, point: { x: number; y: number }): string | null {
  const hit = scene.nodes.find(({ node, width, height }) => {
    const place = places.get(node.id);
    return (
      place && point.x >= place.x && point.x <= place.x + width && point.y >= place.y && point.y <= place.y + height
    );
  });
  return hit?.node.id ?? null;
}

/** The lines of the edges. One that leads back goes around the nodes between its ends, as it does from near. */
export function waysOf({ scene, places }: Placed): { on: string[]; back: string[] } {
  const widths = new Map(scene.nodes.map(({ node, width }) => [node.id, width]));
  const lanes = lanesIn(scene, places);
  const ways: { on: string[]; back: string[] } = { on: [], back: [] };
  for (const edge of scene.edges.slice(0, LINES)) {
    const [start, end, lane] = [places.get(edge.from), places.get(edge.to), lanes.get(edgeKey(edge))];
    if (!start || !end) continue;
    const [x1, y1, x2, y2] = [start.x + (widths.get(edge.from) ?? 0), start.y + MIDDLE, end.x, end.y + MIDDLE];
    if (lane === undefined) ways.on.push(`M${x1} ${y1}L${x2} ${y2}`);
    else ways.back.push(pathBack(x1, y1, x2, y2, lane));
  }
  return ways;
}

function draw(
  canvas: HTMLCanvasElement,
  { scene, places }: Placed,
  ways: ReturnType<typeof waysOf>,
  centre: string,
  marks: ReadonlyMap<string, readonly Mark[]>,
  [x, y, zoom]: [number, number, number],
  width: number,
  height: number,
): void {
  const scale = window.devicePixelRatio || 1;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const context = canvas.getContext("2d");
  if (!context) return;
  const colour = colours();
  context.setTransform(scale * zoom, 0, 0, scale * zoom, scale * x, scale * y);
  context.lineWidth = 0.7 / zoom;
  context.globalAlpha = 0.6;
  context.strokeStyle = colour("--edge");
  context.stroke(new Path2D(ways.on.join("")));
  context.globalAlpha = 1;
  context.strokeStyle = colour("--accent");
  context.setLineDash([2 / zoom, 3 / zoom]);
  context.stroke(new Path2D(ways.back.join("")));
  context.setLineDash([]);
  for (const { node, width: w, height: h, isFaded } of scene.nodes) {
    const place = places.get(node.id);
    if (!place) continue;
    const tone = marks.get(node.id)?.[0]?.tone ?? conditionOf(node).tone;
    context.globalAlpha = isFaded ? 0.2 : 1;
    context.fillStyle = colour(
      tone === "bad" || marks.has(node.id)
        ? `--${tone}`
        : node.id === centre
          ? "--accent"
          : node.kind === "job"
            ? "--job"
            : "--line-strong",
    );
    context.fillRect(place.x, place.y, w, h);
  }
}

function colours(): (name: string) => string {
  const style = getComputedStyle(document.documentElement);
  const known = new Map<string, string>();
  return (name) => {
    const colour = known.get(name) ?? style.getPropertyValue(name);
    known.set(name, colour);
    return colour;
  };
}
