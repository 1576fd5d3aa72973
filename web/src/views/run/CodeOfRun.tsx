/** The version of the code that a run ran, with its branch and its pull request. */

import type { Code } from "../../api/types";
import { oneLine } from "../../text/names";

export function CodeOfRun({ code }: { code: Code }) {
  const number = code.pullRequestNumber ? `#${code.pullRequestNumber.replace(/^#/, "")}` : "";
  return (
    <span className="muted">
      version <span className="mono">{oneLine(code.version ?? "unknown")}</span>
      {code.branch && ` of ${oneLine(code.branch)}`}
      {number && " by "}
      {code.link && /^https?:\/\//.test(code.link) ? (
        <a href={code.link} rel="noreferrer noopener" target="_blank">
          {oneLine(number)}
        </a>
      ) : (
        oneLine(number)
      )}
    </span>
  );
}
