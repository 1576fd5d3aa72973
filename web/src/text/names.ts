/** Names as people read them: as short as tells them apart. The full name is always one hover away. */

import { grouped } from "./grouped";

/** How many characters of a name's end are always shown, and how many characters fit into a node in any font. */
const ENDING = 9;
const FITTING = 14;

/** The parts of a name: of a path its folders, else what its dots separate. */
export function partsOf(name: string): string[] {
  const separator = name.includes("/") ? "/" : ".";
  const parts = name.split(separator).filter((part) => part !== "");
  return parts.length ? parts : [name];
}

/** The shortest endings that tell names apart: `raw/orders` and `clean/orders`, but only `revenue`. */
export function shortNames(names: Iterable<string>): Map<string, string> {
  const result = new Map<string, string>();
  let open = [...new Set(names)];
  for (let count = 1; open.length; count++) {
    const byEnding = grouped(open, (name) => ending(name, count));
    open = [];
    for (const [short, same] of byEnding) {
      const isWhole = same.every((name) => partsOf(name).length <= count);
      if (same.length === 1 || isWhole) for (const name of same) result.set(name, same.length === 1 ? short : name);
      else open.push(...same);
    }
  }
  for (const [short, same] of grouped(result.keys(), (name) => result.get(name))) {
    if (same.length > 1) for (const name of same) result.set(name, name === short ? short : name);
  }
  return result;
}

export function shortName(name: string): string {
  return ending(name, 1);
}

interface Called {
  name: string;
  displayName?: string | undefined;
  parentJobName?: string | null;
}

/**
 * What a node is called: by its name in a catalogue, or by what the author of an application calls it, else by the end
 * of its name, as a query of an application is.
 */
export function calledShort(node: Called, short = shortName(node.name)): string {
  return node.parentJobName ? short : (node.displayName ?? short);
}

/** Such a name, and the whole name behind it: what a list sorts and filters by. */
export function calledWhole({ name, displayName }: { name: string; displayName?: string | undefined }): string {
  return displayName ? `${displayName} (${name})` : name;
}

function ending(name: string, count: number): string {
  return partsOf(name)
    .slice(-count)
    .join(name.includes("/") ? "/" : ".");
}

/** A name in two parts, of which the first may be cut: names of one schema often differ only at the end. */
export function cuttable(text: string): [start: string, end: string] {
  const characters = [...text];
  if (characters.length <= FITTING) return ["", text];
  return [characters.slice(0, -ENDING).join(""), characters.slice(-ENDING).join("")];
}

/** What precedes the short name: the folder or schema. */
export function contextOf(name: string, short: string): string {
  return name.endsWith(short) ? name.slice(0, name.length - short.length).replace(/[/.]$/, "") : name;
}

/**
 * Text of an event on one line: characters that are invisible, change the direction or are none are shown as a mark.
 */
export function oneLine(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    /[\u0000-\u001f\u007f-\u009f\u061c\u2028\u2029\u202a-\u202e\u2060-\u206f\u200b-\u200f\ufeff\ufffe\uffff\ud800-\udfff]/gu,
    "\ufffd",
  );
}

/** Prose of an event, whose lines stay apart. */
export function inertLines(text: string): string {
  return text.split("\n").map(oneLine).join("\n");
}

export function nodeIdOf(kind: "dataset" | "job", namespace: string, name: string): string {
  return `${kind}:${namespace}:${name}`;
}

export function columnIdOf(namespace: string, dataset: string, field: string): string {
  return `datasetField:${namespace}:${dataset}:${field}`;
}

/** A node id without its kind. The namespace may contain colons, so the rest is not split. */
export function kindOf(nodeId: string): "dataset" | "job" | "datasetField" | "exposure" {
  return nodeId.slice(0, nodeId.indexOf(":")) as ReturnType<typeof kindOf>;
}

export function withoutKind(nodeId: string): string {
  return nodeId.slice(nodeId.indexOf(":") + 1);
}

/**
 * Namespace and name of a node id. Only the server knows where a namespace with colons ends: a scheme and a port belong
 * to it (`postgres://host:5432`), as does the beginning of an ARN; the first colon after them ends it.
 */
export function splitNodeId(nodeId: string): { kind: string; namespace: string; name: string } {
  const rest = withoutKind(nodeId);
  const match =
    /^((?:arn:[^:]*:[^:]*:[^:]*:)?(?:[a-z][\w+.-]*:\/\/)?(?:\[[^\]]*\]|[^:]*)(?::\d+(?=:))?):([\s\S]*)$/i.exec(rest);
  return { kind: kindOf(nodeId), namespace: match?.[1] ?? "", name: match?.[2] ?? rest };
}

/** The dataset and the field of a column's id: the last colon parts them, as fields seldom have one. */
export function columnOf(nodeId: string): { dataset: string; field: string } {
  const at = nodeId.lastIndexOf(":");
  return { dataset: `dataset:${withoutKind(nodeId.slice(0, at))}`, field: nodeId.slice(at + 1) };
}
