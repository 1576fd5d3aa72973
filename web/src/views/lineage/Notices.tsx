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
        <Truncated>The graph goes on: this is its beginning. The handles with a number fetch more.</Truncated>
      )}
      {isIsland && (
        <Truncated>
          An island: no event so far tells of anything that{" "}
          {graph.nodes.get(centre)?.kind === "job" ? "it reads or writes" : "reads or writes it"}.
        </Truncated>
      )}
      {failure && <Truncated>More could not be fetched: {failure}</Truncated>}
      {layoutError && (
        <Truncated>The picture could not be laid out ({layoutError}). The table shows the same.</Truncated>
      )}
    </>
  );
}
