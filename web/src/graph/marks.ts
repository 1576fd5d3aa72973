/** What a node shows of its condition: its state, how fresh it is, and what the root-cause lookup found about it. */

import type { Finding } from "../api/types";
import { ago, count, counted } from "../text/amounts";
import { oneLine } from "../text/names";
import { type GraphNode, ownersOf } from "./graph";
import type { FieldChange } from "./schema";

export interface Mark {
  tone: "good" | "bad" | "warn" | "busy" | "plain";
  text: string;
  /** The columns that a mark of a changed schema is about. */
  changes?: readonly FieldChange[];
}

const SIGNS = { added: "+", removed: "−", retyped: "~" } as const;
const TONES_OF_CHANGES = { added: "good", removed: "bad", retyped: "warn" } as const;

/** A change of a column in a word for a card: `~ fare`. */
export function chipOf({ kind, field }: FieldChange): Mark {
  return { tone: TONES_OF_CHANGES[kind], text: `${SIGNS[kind]} ${field}` };
}

/** The chips of a card: of its first two marks; a changed schema is told by two columns, or one and how many others. */
export function chipsOf(marks: readonly Mark[]): Mark[] {
  const chips = marks.flatMap((mark) => (mark.changes?.length ? mark.changes.map(chipOf) : [mark]));
  const shown = chips.slice(0, chips.length > 2 && marks.length === 1 ? 1 : 2);
  const more = marks.length === 1 ? chips.length - shown.length : 0;
  return more > 0 ? [...shown, { tone: "plain", text: `+${count(more)} more` }] : shown;
}

/** A mark in words: `columns changed: ~ fare, double → string`. */
export function wordsOf({ text, changes }: Mark): string {
  const told = (changes ?? []).map((change) => {
    const types =
      change.before && change.after ? `${change.before} → ${change.after}` : (change.after ?? change.before);
    return chipOf(change).text + (types ? `, ${types}` : "");
  });
  return told.length ? `${text}: ${told.join("; ")}` : text;
}

const FINDINGS: Record<string, [Mark["tone"], string]> = {
  RUN_FAILED: ["bad", "run failed"],
  RUN_ABORTED: ["bad", "run aborted"],
  RUN_RUNNING: ["busy", "running"],
  CHILD_FAILED: ["bad", "part failed"],
  RUN_LATE: ["warn", "late"],
  RUN_MISSING: ["bad", "not run"],
  VOLUME_UNUSUAL: ["warn", "odd amount"],
  JOB_CHANGED: ["warn", "job changed"],
  CODE_CHANGED: ["warn", "code changed"],
  SCHEMA_CHANGED: ["warn", "schema changed"],
  ASSERTION_FAILED: ["bad", "check failed"],
};
const TONES: Record<string, Mark["tone"]> = { COMPLETED: "good", FAILED: "bad", ABORTED: "bad", RUNNING: "busy" };

export function stateOf(node: GraphNode): string | null {
  return node.job ? (node.job.latestRun?.outcome ?? "NEVER RUN") : null;
}

/** The line under a node's name: state and time of a job, freshness of a dataset. */
export function conditionOf(node: GraphNode): Mark {
  if (node.kind === "group") return { tone: "plain", text: counted(node.size ?? 0, "node") };
  if (node.exposure)
    return { tone: "plain", text: oneLine([node.exposure.type ?? "exposure", ...ownersOf(node)].join(" · ")) };
  if (!node.job) {
    const columns = counted(node.dataset?.fields.length ?? 0, "column");
    const written = freshness(node);
    if (node.dataset?.caution) return { tone: "bad", text: `${columns} · ${oneLine(node.dataset.caution)}` };
    const told = [...(node.due && written ? [] : [columns]), ...(written ? [`written ${ago(written)}`] : [])];
    return withDueOf(node, { tone: "plain", text: told.join(" · ") });
  }
  const run = node.job.latestRun;
  if (!run) return { tone: "plain", text: "never run" };
  return withDueOf(node, {
    tone: TONES[run.outcome] ?? "plain",
    text: [
      run.outcome.toLowerCase().replace("_", " "),
      ago(run.endedAt ?? run.startedAt ?? run.updatedAt),
      ...(node.job.candidateInputs ? ["may use its inputs"] : []),
    ].join(" · "),
  });
}

/** A condition with when the next run is due: first of all if that was before now. */
function withDueOf({ due }: GraphNode, { tone, text }: Mark): Mark {
  if (!due?.dueAt) return { tone, text };
  const when = `due ${ago(due.dueAt)}`;
  if (due.state === "LATE") return { tone: tone === "bad" ? tone : "warn", text: `late, ${when} · ${text}` };
  return { tone, text: due.state === "WAITING" ? `waits, ${when} · ${text}` : `${text} · ${when}` };
}

/** When a dataset was last written, or when the newest run of a job ended or, until then, began. */
export function freshness({ dataset, job }: GraphNode): string | null {
  const run = job?.latestRun;
  return dataset?.lastWrittenAt ?? run?.endedAt ?? run?.startedAt ?? job?.updatedAt ?? null;
}

export function marksOf(findings: readonly Finding[]): Map<string, Mark[]> {
  const marks = new Map<string, Mark[]>();
  for (const { kind, nodeId } of findings) {
    const [tone, text] = FINDINGS[kind] ?? ["warn", kind.toLowerCase().replaceAll("_", " ")];
    const known = marks.get(nodeId) ?? [];
    if (!known.some((mark) => mark.text === text)) marks.set(nodeId, [...known, { tone, text }]);
  }
  return marks;
}
