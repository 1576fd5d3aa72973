/** Above the picture: what is not in it, and why. */

import { Truncated } from "../../parts/Feedback";
import type { ShownGraph } from "./useGraph";

interface Properties {
  shownGraph: ShownGraph;
  asOf: string;
  layoutError: string | null;
}

export function Notices({ shownGraph: { lookup, graph, centre, failure }, asOf, layoutError }: Properties) {
  const isIsland = lookup.state === "done" && graph.nodes.size === 1 && !asOf;
  return (
    <>
      {lookup.state === "done" && lookup.value.isTruncated && (
        <Truncated>Only part of the graph is shown. The handles with a number load more.</Truncated>
      )}
      {isIsland && (
        <Truncated>
          Isolated: no event so far reports anything that{" "}
          {graph.nodes.get(centre)?.kind === "job" ? "it reads or writes" : "reads or writes it"}.
        </Truncated>
      )}
      {failure && <Truncated>Could not load more: {failure}</Truncated>}
      {layoutError && <Truncated>The graph could not be drawn ({layoutError}). The table shows the same.</Truncated>}
    </>
  );
}
