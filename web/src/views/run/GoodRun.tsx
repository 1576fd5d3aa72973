/** Whether a person said that a run was good, and the button to say so or to take it back. */

import { useState } from "react";
import { useScopes } from "../../api/caller";
import { callGood } from "../../api/runs";
import type { Run } from "../../api/types";
import { moment } from "../../text/amounts";
import { oneLine } from "../../text/names";
import { attempt } from "../node/attempt";

export function GoodRun({ run, again }: { run: Run; again: () => void }) {
  const [failure, setFailure] = useState("");
  const { judgement } = run;
  const failed = run.failedChildren;
  const isOfOthers = run.outcome === "NOT_REPORTED" && Array.isArray(failed) && !failed.length;
  const mayBeGood = run.outcome === "COMPLETED" || run.outcome === "RUNNING" || isOfOthers;
  const mayJudge = useScopes().has("curate") && (judgement || mayBeGood);
  const say = (isGood: boolean): void => void attempt(callGood(run.id, isGood), setFailure, again);
  return (
    <>
      {judgement && (
        <span className="chip good" title={oneLine(judgement.note ?? "")}>
          called good by {oneLine(judgement.by)}, {moment(judgement.at)}
        </span>
      )}
      {mayJudge && (
        <button onClick={() => say(!judgement)}>{judgement ? "Take that back" : "This run was good"}</button>
      )}
      {failure && (
        <span className="note" role="alert">
          {failure}
        </span>
      )}
    </>
  );
}
