/** An impact as Markdown, for a pull request. */

import type { Impact } from "../api/types";
import { transformationText } from "../graph/trace";
import { counted } from "../text/amounts";
import { oneLine, withoutKind } from "../text/names";

export function impactMarkdown({ totalCount, owners, truncated, hiddenCount }: Impact, name: string): string {
  const lines = [`### Impact of changing ${code(name)}`, "", `${counted(totalCount, "node")} downstream would be affected.`, ""];
  for (const { owner, items } of owners) {
    lines.push(`**${owner ? text(owner) : "no owner"}**`, "");
    for (const { nodeId, distance, indirect, by, transformations = [] } of items) {
      const how = by === "dataset" ? "may use it" : indirect ? "by a filter, join or grouping" : transformationText(transformations);
      lines.push(`- ${code(withoutKind(nodeId))}, ${counted(distance, "hop")}${how ? `, ${how}` : ""}`);
    }
    lines.push("");
  }
  if (hiddenCount) lines.push(`And ${counted(hiddenCount, "node")} in namespaces that the caller may not read.`, "");
  if (truncated) lines.push("The walk was cut: there is more downstream.", "");
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
