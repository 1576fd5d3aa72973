/** A large picture from afar: boxes and lines on a canvas, since nobody reads a name there and the browser draws it at once. */

import { useStore } from "@xyflow/react";
import { useEffect, useRef } from "react";
import { conditionOf, type Mark } from "../../graph/marks";
import { useActions } from "./actions";
import type { Placed } from "./usePlaces";

const LINES = 20_000;

export function FarPicture({ placed, centre }: { placed: Placed; centre: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const transform = useStore((state) => state.transform);
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const { marks } = useActions();
  useEffect(() => {
    if (canvas.current && width) draw(canvas.current, placed, centre, marks, transform, width, height);
  }, [placed, centre, marks, transform, width, height]);
  return <canvas ref={canvas} className="far-picture" role="img" aria-label={`${placed.scene.nodes.length} nodes from afar. Zoom in to read them, or choose the table.`} />;
}

/** The node at a point of the picture. */
export function nodeAt({ scene, places }: Placed, point: { x: number; y: number }): string | null {
  const hit = scene.nodes.find(({ node, width, height }) => {
    const place = places.get(node.id);
    return place && point.x >= place.x && point.x <= place.x + width && point.y >= place.y && point.y <= place.y + height;
  });
  return hit?.node.id ?? null;
}

function draw(canvas: HTMLCanvasElement, { scene, places }: Placed, centre: string, marks: ReadonlyMap<string, readonly Mark[]>, [x, y, zoom]: [number, number, number], width: number, height: number): void {
  const scale = window.devicePixelRatio || 1;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const context = canvas.getContext("2d");
  if (!context) return;
  const colour = colours();
  context.setTransform(scale * zoom, 0, 0, scale * zoom, scale * x, scale * y);
  const sizes = new Map(scene.nodes.map((drawn) => [drawn.node.id, drawn]));
  context.strokeStyle = colour("--edge");
  context.lineWidth = 0.7 / zoom;
  context.globalAlpha = 0.6;
  context.beginPath();
  for (const { from, to } of scene.edges.slice(0, LINES)) {
    const [start, end, size] = [places.get(from), places.get(to), sizes.get(from)];
    if (!start || !end || !size) continue;
    context.moveTo(start.x + size.width, start.y + 29);
    context.lineTo(end.x, end.y + 29);
  }
  context.stroke();
  for (const { node, width: w, height: h, isFaded } of scene.nodes) {
    const place = places.get(node.id);
    if (!place) continue;
    const tone = marks.get(node.id)?.[0]?.tone ?? conditionOf(node).tone;
    context.globalAlpha = isFaded ? 0.2 : 1;
    context.fillStyle = colour(tone === "bad" || marks.has(node.id) ? `--${tone}` : node.id === centre ? "--accent" : node.kind === "job" ? "--job" : "--line-strong");
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
