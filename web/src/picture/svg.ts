/** The picture as an SVG of its own: no style sheet, no script, readable on light paper. */

import { edgeKey, pathBack } from "../graph/backEdge";
import type { Edge } from "../graph/graph";
import { chipsOf, conditionOf, type Mark, wordsOf } from "../graph/marks";
import { headHeight, listedFields, MOST_ROWS, MOST_TRACED, ROW, SLOT, tracedTop } from "../graph/sizes";
import { isIndirect, isMasked, transformationText } from "../graph/trace";
import { type IconName, PATHS } from "../parts/Icon";
import { contextOf, oneLine } from "../text/names";
import { type EdgeLabel, labelsOf, lanesIn, type SceneNode, shortNamesIn } from "./scene";
import type { Placed } from "./usePlaces";

/** What cards tell beside their names: their marks, and why the origin of columns is unknown, by dataset and column. */
export interface Told {
  marks: ReadonlyMap<string, readonly Mark[]>;
  unknown: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

const NOTHING_TOLD: Told = { marks: new Map(), unknown: new Map() };
const MARGIN = 32;
const FONT = "system-ui, sans-serif";
const FILLS = { dataset: "#ffffff", job: "#eeebf8", exposure: "#e6f1f4", group: "#eef2f4" };
const MUTED = "#51626d";
const ACCENT = "#0b6680";
const WARN = "#8a5300";
const BAD = "#b02a30";
const TONES = { good: "#1d6b40", bad: BAD, warn: WARN, busy: "#2c5cc5", plain: MUTED };
/** The width of a character, as a part of the size of the font: about, since an SVG measures nothing. */
const CHARACTER = 0.56;
/** How far after its column the label of an edge begins, and how many characters of it are shown. */
const LABEL_AFTER = 12;
const MOST_OF_LABEL = 16;
const LEGEND_LINE = 20;

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export function sizeOf({ scene, places }: Placed, told: Told): { width: number; height: number } {
  const boxes = scene.nodes.map(({ node, width, height }) => ({
    ...(places.get(node.id) ?? { x: 0, y: 0 }),
    width,
    height,
  }));
  const bottom = Math.max(0, ...boxes.map(({ y, height }) => y + height), ...lanesIn(scene, places).values());
  return {
    width: Math.max(0, ...boxes.map(({ x, width }) => x + width)) + 2 * MARGIN,
    height: bottom + 2 * MARGIN + LEGEND_LINE * legendOf(scene, told).length,
  };
}

export function svgOf(placed: Placed, told = NOTHING_TOLD): string {
  const { scene, places } = placed;
  const { width, height } = sizeOf(placed, told);
  const names = shortNamesIn(scene);
  const boxes = new Map<string, Box>(
    scene.nodes.map(({ node, width: w, height: h }) => [
      node.id,
      { ...(places.get(node.id) ?? { x: 0, y: 0 }), width: w, height: h },
    ]),
  );
  const legend = legendOf(scene, told).map((line, index, all) => {
    const y = height - 2 * MARGIN - LEGEND_LINE * (all.length - 1 - index) + MARGIN / 2;
    return (line.icon ? icon(line.icon, 0, y - 8, WARN, line.said) : "") + text(18, y + 2, 12, MUTED, line.said);
  });
  const edges = edgesOf(placed, boxes);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${-MARGIN} ${-MARGIN} ${width} ${height}">`,
    `<rect x="${-MARGIN}" y="${-MARGIN}" width="${width}" height="${height}" fill="#f6f8f9"/>`,
    ...edges.flow,
    ...scene.nodes.map((drawn) => card(drawn, boxes.get(drawn.node.id)!, names.get(drawn.node.name), told)),
    ...edges.columns.map(({ path }) => path),
    ...edges.columns.map(({ said }) => said),
    ...legend,
    "</svg>",
  ].join("\n");
}

/** What marks of the picture mean, where it has them. */
function legendOf({ nodes, columnEdges }: Placed["scene"], { unknown }: Told): { icon?: IconName; said: string }[] {
  const isUnknown = nodes.some(({ node, opening }) =>
    rowsOf({ node, opening }).some((row) => unknown.get(node.id)?.has(row)),
  );
  return [
    ...(isUnknown
      ? [{ icon: "why" as const, said: "origin unknown: no column lineage tells what the column is made of" }]
      : []),
    ...(columnEdges.some(({ transformations }) => isMasked(transformations))
      ? [{ icon: "shield" as const, said: "masked" }]
      : []),
    ...(columnEdges.some(({ transformations }) => isIndirect(transformations))
      ? [{ said: "dashed: a filter, join or grouping" }]
      : []),
  ];
}

/** The columns that a card shows: those on the path of the picked column, and the first of its list if it is open. */
function rowsOf({ node, opening: { traced, isOpen } }: Pick<SceneNode, "node" | "opening">): string[] {
  const listed = isOpen ? listedFields(node, traced).slice(0, MOST_ROWS) : [];
  return [...traced.slice(0, MOST_TRACED), ...listed.map(({ name }) => name)];
}

function card(
  drawn: SceneNode,
  { x, y, width, height }: Box,
  short: string | undefined,
  { marks, unknown }: Told,
): string {
  const { node, opening } = drawn;
  const condition = conditionOf(node);
  const own = marks.get(node.id) ?? [];
  const called = node.displayName ?? short ?? node.name;
  const isBad = condition.tone === "bad";
  const bottom = headHeight(node);
  let right = x + width - 12;
  const chips = chipsOf(own).map((chip) => {
    const said = oneLine(chip.text);
    const room = 6.3 * said.length + 16;
    right -= room;
    return pill(right, y + bottom - 23, room - 4, TONES[chip.tone], said);
  });
  const rest = opening.traced.length - MOST_TRACED;
  const isJob = node.kind === "job";
  return [
    `<g${drawn.isFaded ? ' opacity="0.28"' : ""}><title>${escaped([node.name, condition.text, ...own.map(wordsOf)].join(", "))}</title>`,
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${isJob ? 24 : 9}" fill="${FILLS[node.kind]}" stroke="${isBad ? BAD : "#b3c0c7"}"/>`,
    text(x + 16, y + 20, 13, "#14212a", called, width - 28, 600),
    text(
      x + 16,
      y + 34,
      11,
      MUTED,
      node.kind === "group" ? "group" : contextOf(node.name, called) || node.namespace,
      width - 28,
    ),
    text(x + 16, y + bottom - 10, 11, isBad ? BAD : MUTED, condition.text, right - x - 20, isBad ? 600 : 400),
    ...chips,
    ...rowsOf(drawn).map((field, index) => {
      const top = y + tracedTop(node, 0) + ROW * (index + (rest > 0 && index >= MOST_TRACED ? 1 : 0));
      const reason = unknown.get(node.id)?.get(field);
      return `${text(x + 14, top + 4, 12, index < opening.traced.length ? ACCENT : MUTED, field, width - 50)}${
        reason ? icon("why", x + width - 26, top - 7, WARN, reason) : ""
      }`;
    }),
    rest > 0
      ? text(x + 14, y + tracedTop(node, MOST_TRACED) + 4, 12, MUTED, `and ${rest} more columns`, width - 28)
      : "",
    "</g>",
  ].join("");
}

function edgesOf(
  { scene, places }: Placed,
  boxes: ReadonlyMap<string, Box>,
): { flow: string[]; columns: { path: string; said: string }[] } {
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
  const labels = labelsOf(scene);
  const columns = scene.columnEdges.flatMap(({ from, to, transformations }, index) => {
    const box = boxes.get(from.dataset);
    if (!box || !boxes.has(to.dataset)) return [];
    const [colour, dashes] = isIndirect(transformations) ? [WARN, ' stroke-dasharray="5 4"'] : [ACCENT, ""];
    const top = row(from.dataset, from.field);
    const ends = { from: from.dataset, to: to.dataset };
    const path = curve(ends, top, row(to.dataset, to.field), `stroke="${colour}" stroke-width="2"${dashes}`);
    const how = `${from.field} → ${to.field ?? "all columns"}: ${transformationText(transformations)}`;
    const said = labels[index] ? label(box.x + box.width, box.y + top, colour, labels[index]) : "";
    return [{ path: `<g><title>${escaped(how)}</title>${path}</g>`, said }];
  });
  const flow = scene.edges.map((edge) =>
    curve(
      edge,
      middle(edge.from),
      middle(edge.to),
      `stroke="#9fb0b9" stroke-width="1.5"${edge.isFaded ? ' opacity="0.35"' : ""}`,
    ),
  );
  return { flow, columns };
}

/** What an edge does, in a pill at its beginning; a shield says that it masks. */
function label(x: number, y: number, colour: string, { text: said, slot, isMasked: masks }: EdgeLabel): string {
  const left = x + LABEL_AFTER + SLOT * slot;
  const short = cut(said, MOST_OF_LABEL);
  const room = short.length * 6.3 + 12;
  return (
    pill(left, y - 9, room, colour, short) + (masks ? icon("shield", left + room + 2, y - 8, colour, "masked") : "")
  );
}

/** A word in a pill, at its left upper corner. */
function pill(x: number, y: number, width: number, colour: string, said: string): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="18" rx="9" fill="#ffffff" stroke="${colour}"/>${text(x + 6, y + 13, 11, colour, said)}`;
}

/** An icon of the page, 16 pixels high, at its left upper corner. */
function icon(name: IconName, x: number, y: number, colour: string, title: string): string {
  return `<g transform="translate(${x} ${y}) scale(0.6667)" fill="none" stroke="${colour}" stroke-width="1.8"><title>${escaped(title)}</title><path d="${PATHS[name]}"/></g>`;
}

/** A text at its baseline, cut where it would be wider than `most` pixels. */
function text(x: number, y: number, size: number, fill: string, value: string, most = Infinity, weight = 400): string {
  return `<text x="${x}" y="${y}" font-family="${FONT}" font-size="${size}" font-weight="${weight}" fill="${fill}">${escaped(cut(value, Math.floor(most / (size * CHARACTER))))}</text>`;
}

function cut(value: string, most: number): string {
  const characters = [...oneLine(value)];
  return characters.length > most ? `${characters.slice(0, Math.max(0, most - 1)).join("")}…` : characters.join("");
}

function escaped(value: string): string {
  return oneLine(value)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
