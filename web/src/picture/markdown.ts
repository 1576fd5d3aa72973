/** An impact as Markdown, for a pull request. */

import type { Impact } from "../api/types";
import { wayOf } from "../graph/risk";
import { transformationText } from "../graph/trace";
import { counted } from "../text/amounts";
import { oneLine, withoutKind } from "../text/names";

export function impactMarkdown(impact: Impact, name: string): string {
  const { breaks, owners, truncated, hiddenCount, frontier } = impact;
  const lines = [`### Impact of changing ${code(name)}`, "", breaks.sentence || "Nothing downstream is known.", ""];
  for (const { owner, items } of owners) {
    lines.push(`**${owner ? text(owner) : "no owner"}**`, "");
    for (const item of items) {
      const how = item.by === "column" && !item.indirect ? transformationText(item.transformations ?? []) : wayOf(item);
      const { name, type, url } = item.exposure ?? {};
      const told = [type, url, how].filter((each) => each).map((each) => `, ${text(each!)}`);
      lines.push(`- ${code(name ?? withoutKind(item.nodeId))}, ${counted(item.distance, "hop")}${told.join("")}`);
    }
    lines.push("");
  }
  if (hiddenCount) lines.push(`And ${counted(hiddenCount, "node")} in namespaces that the caller may not read.`, "");
  if (truncated) lines.push("The search stopped early: there is more downstream.", "");
  if (frontier?.sentence) lines.push(text(frontier.sentence), "");
  return lines.join("\n");
}

function code(value: string): string {
  const inert = oneLine(value);
  const ticks = "`".repeat(Math.max(0, ...[...inert.matchAll(/`+/g)].map(([run]) => run.length)) + 1);
  return ticks.length > 1 ? `${ticks} ${inert} ${ticks}` : `${ticks}${inert}${ticks}`;
}

function text(value: string): string {
  return oneLine(value).replace(/[\\`*_{}[\]<>()#+!|@-]/g, "\\$&");
}
