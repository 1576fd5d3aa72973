/** The picture as an SVG of its own: no style sheet, no script, readable on light paper. */

import { edgeKey, pathBack } from "../graph/backEdge";
import type { Edge } from "../graph/graph";
import { conditionOf } from "../graph/marks";
import { headHeight, SLOT, tracedTop } from "../graph/sizes";
import { isIndirect, transformationText } from "../graph/trace";
import { calledShort, oneLine, shortNames } from "../text/names";
import { labelsOf, lanesIn } from "./scene";
import type { Placed } from "./usePlaces";

const MARGIN = 32;
const FONT = "system-ui, sans-serif";
const FILLS = { dataset: "#ffffff", job: "#eeebf8", group: "#eef2f4" };
const CHARACTERS = 30;
/** How far after its column the label of an edge begins, and how many characters of it are shown. */
const LABEL_AFTER = 12;
const MOST_OF_LABEL = 16;

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export function sizeOf({ scene, places }: Placed): { width: number; height: number } {
  const boxes = scene.nodes.map(({ node, width, height }) => ({
    ...(places.get(node.id) ?? { x: 0, y: 0 }),
    width,
    height,
  }));
  return {
    width: Math.max(0, ...boxes.map(({ x, width }) => x + width)) + 2 * MARGIN,
    height: Math.max(0, ...boxes.map(({ y, height }) => y + height), ...lanesIn(scene, places).values()) + 2 * MARGIN,
  };
}

export function svgOf(placed: Placed): string {
  const { scene, places } = placed;
  const { width, height } = sizeOf(placed);
  const names = shortNames(scene.nodes.map(({ node }) => node.name));
  const boxes = new Map<string, Box>(
    scene.nodes.map(({ node, width: w, height: h }) => [
      node.id,
      { ...(places.get(node.id) ?? { x: 0, y: 0 }), width: w, height: h },
    ]),
  );
  const drawn = new Map(scene.nodes.map((entry) => [entry.node.id, entry]));
  const middle = (id: string): number => (drawn.get(id) ? headHeight(drawn.get(id)!.node) / 2 : 0);
  const row = (id: string, field: string | null): number => {
    const entry = drawn.get(id);
    const index = field === null ? -1 : (entry?.opening.traced.indexOf(field) ?? -1);
    return entry && index >= 0 ? tracedTop(entry.node, index) : middle(id);
  };
  const lanes = lanesIn(scene, places);
  const curve = (edge: Edge, fromTop: number, toTop: number, style: string): string => {
    const [from, to, lane] = [boxes.get(edge.from)!, boxes.get(edge.to)!, lanes.get(edgeKey(edge))];
    const [x1, y1, x2, y2] = [from.x + from.width, from.y + fromTop, to.x, to.y + toTop];
    if (lane !== undefined)
      return `<path d="${pathBack(x1, y1, x2, y2, lane)}" fill="none" stroke-dasharray="2 4" ${style}/>`;
    const bend = Math.max(40, (x2 - x1) / 2);
    return `<path d="M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}" fill="none" ${style}/>`;
  };
  const edges = scene.edges.map((edge) =>
    curve(edge, middle(edge.from), middle(edge.to), 'stroke="#9fb0b9" stroke-width="1.5"'),
  );
  const labels = labelsOf(scene);
  const columnEdges = scene.columnEdges.flatMap((edge, index) => {
    const { from, to, transformations } = edge;
    const box = boxes.get(from.dataset);
    if (!box || !boxes.has(to.dataset)) return [];
    const how = transformationText(transformations);
    const [colour, dashes] = isIndirect(transformations) ? ["#8a5300", ' stroke-dasharray="5 4"'] : ["#0b6680", ""];
    const top = row(from.dataset, from.field);
    const path = curve(
      { from: from.dataset, to: to.dataset },
      top,
      row(to.dataset, to.field),
      `stroke="${colour}" stroke-width="2"${dashes}`,
    );
    const title = `<title>${escaped(`${from.field} → ${to.field ?? "all columns"}: ${how}`)}</title>`;
    const { text: said, slot = 0 } = labels[index] ?? {};
    const left = box.x + box.width + LABEL_AFTER + SLOT * slot;
    return [{ path: `<g>${title}${path}</g>`, said: said ? label(left, box.y + top, colour, said) : "" }];
  });
  const nodes = scene.nodes.map(({ node, opening, width: w, height: h }) => {
    const { x, y } = boxes.get(node.id)!;
    const traced = opening.traced.map((field, index) =>
      text(x + 14, y + tracedTop(node, index) + 4, 12, "#0b6680", field),
    );
    return [
      `<g><title>${escaped(node.name)}</title>`,
      `<rect x="${x}" y="${y}" width="${w}" height="${h}" rx="${node.kind === "job" ? 24 : 9}" fill="${FILLS[node.kind]}" stroke="#b3c0c7"/>`,
      text(
        x + 16,
        y + 24,
        13,
        "#14212a",
        calledShort(node.dataset ?? node.job ?? node, names.get(node.name) ?? node.name),
        600,
      ),
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
    ...columnEdges.map(({ path }) => path),
    ...columnEdges.map(({ said }) => said),
    "</svg>",
  ].join("\n");
}

/** What an edge does, in a pill at its beginning. */
function label(x: number, y: number, colour: string, value: string): string {
  const width = Math.min(value.length, MOST_OF_LABEL) * 6.3 + 12;
  const short = value.length > MOST_OF_LABEL ? `${value.slice(0, MOST_OF_LABEL - 1)}…` : value;
  return `<rect x="${x}" y="${y - 9}" width="${width}" height="18" rx="9" fill="#ffffff" stroke="${colour}"/>${text(x + 6, y + 4, 11, colour, short)}`;
}

function text(x: number, y: number, size: number, fill: string, value: string, weight = 400): string {
  const short = value.length > CHARACTERS ? `${value.slice(0, CHARACTERS - 1)}…` : value;
  return `<text x="${x}" y="${y}" font-family="${FONT}" font-size="${size}" font-weight="${weight}" fill="${fill}">${escaped(short)}</text>`;
}

function escaped(value: string): string {
  return oneLine(value)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
