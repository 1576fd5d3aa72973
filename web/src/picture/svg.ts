/** The picture as an SVG of its own: no style sheet, no script, readable on light paper. */

import { pathBack, wayKey } from "../graph/backEdge";
import type { Edge } from "../graph/graph";
import { conditionOf } from "../graph/marks";
import { headHeight, tracedTop } from "../graph/sizes";
import { transformationText } from "../graph/trace";
import { oneLine } from "../text/names";
import { lanesIn } from "../views/lineage/scene";
import type { Placed } from "../views/lineage/usePlaces";
import { labelsOf } from "./texts";

const MARGIN = 32;
const FONT = "system-ui, sans-serif";
const FILLS = { dataset: "#ffffff", job: "#eeebf8", group: "#eef2f4" };
const CHARACTERS = 30;

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export function sizeOf({ scene, places }: Placed): { width: number; height: number } {
  const boxes = scene.nodes.map(({ node, width, height }) => ({ ...(places.get(node.id) ?? { x: 0, y: 0 }), width, height }));
  return {
    width: Math.max(0, ...boxes.map(({ x, width }) => x + width)) + 2 * MARGIN,
    height: Math.max(0, ...boxes.map(({ y, height }) => y + height), ...lanesIn(scene, places).values()) + 2 * MARGIN,
  };
}

export function svgOf(placed: Placed): string {
  const { scene, places } = placed;
  const { width, height } = sizeOf(placed);
  const labels = labelsOf(scene);
  const boxes = new Map<string, Box>(scene.nodes.map(({ node, width: w, height: h }) => [node.id, { ...(places.get(node.id) ?? { x: 0, y: 0 }), width: w, height: h }]));
  const drawn = new Map(scene.nodes.map((entry) => [entry.node.id, entry]));
  const middle = (id: string): number => (drawn.get(id) ? headHeight(drawn.get(id)!.node) / 2 : 0);
  const row = (id: string, field: string | null): number => {
    const entry = drawn.get(id);
    const index = field === null ? -1 : (entry?.opening.traced.indexOf(field) ?? -1);
    return entry && index >= 0 ? tracedTop(entry.node, index) : middle(id);
  };
  const lanes = lanesIn(scene, places);
  const curve = (edge: Edge, fromTop: number, toTop: number, style: string): string => {
    const [from, to, lane] = [boxes.get(edge.from)!, boxes.get(edge.to)!, lanes.get(wayKey(edge))];
    const [x1, y1, x2, y2] = [from.x + from.width, from.y + fromTop, to.x, to.y + toTop];
    if (lane !== undefined) return `<path d="${pathBack(x1, y1, x2, y2, lane)}" fill="none" stroke-dasharray="2 4" ${style}/>`;
    const bend = Math.max(40, (x2 - x1) / 2);
    return `<path d="M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}" fill="none" ${style}/>`;
  };
  const edges = scene.edges.map((edge) => curve(edge, middle(edge.from), middle(edge.to), 'stroke="#9fb0b9" stroke-width="1.5"'));
  const columnEdges = scene.columnEdges
    .filter(({ from, to }) => boxes.has(from.dataset) && boxes.has(to.dataset))
    .map((edge) => {
      const { from, to, transformations } = edge;
      const title = `<title>${escaped(`${from.field} → ${to.field ?? "all columns"}: ${transformationText(transformations)}`)}</title>`;
      const path = curve({ from: from.dataset, to: to.dataset }, row(from.dataset, from.field), row(to.dataset, to.field), 'stroke="#0b6680" stroke-width="2"');
      return `<g>${title}${path}</g>`;
    });
  const nodes = scene.nodes.map(({ node, opening, width: w, height: h }) => {
    const { x, y } = boxes.get(node.id)!;
    const traced = opening.traced.map((field, index) => text(x + 14, y + tracedTop(node, index) + 4, 12, "#0b6680", field));
    return [
      `<g><title>${escaped(node.name)}</title>`,
      `<rect x="${x}" y="${y}" width="${w}" height="${h}" rx="${node.kind === "job" ? 24 : 9}" fill="${FILLS[node.kind]}" stroke="#b3c0c7"/>`,
      text(x + 16, y + 24, 13, "#14212a", labels.get(node.id) ?? "", 600),
      text(x + 16, y + 44, 11, "#51626d", conditionOf(node).text),
      ...traced,
      "</g>",
    ].join("");
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${-MARGIN} ${-MARGIN} ${width} ${height}">`,
    `<rect x="${-MARGIN}" y="${-MARGIN}" width="${width}" height="${height}" fill="#f6f8f9"/>`,
    ...edges,
    ...nodes,
    ...columnEdges,
    "</svg>",
  ].join("\n");
}

function text(x: number, y: number, size: number, fill: string, value: string, weight = 400): string {
  const short = value.length > CHARACTERS ? `${value.slice(0, CHARACTERS - 1)}…` : value;
  return `<text x="${x}" y="${y}" font-family="${FONT}" font-size="${size}" font-weight="${weight}" fill="${fill}">${escaped(short)}</text>`;
}

function escaped(value: string): string {
  return oneLine(value).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
