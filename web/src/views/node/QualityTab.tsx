/** The quality results of a dataset, newest first. */

import { type QualityResult, quality } from "../../api/nodes";
import { useLookup } from "../../api/useLookup";
import { Empty, Loaded } from "../../parts/Feedback";
import { moment } from "../../text/amounts";

interface Assertion {
  assertion?: string;
  success?: boolean;
  column?: string;
  severity?: string;
}

export function QualityTab({ nodeId }: { nodeId: string }) {
  const lookup = useLookup(nodeId, (signal) => quality(nodeId, signal));
  return (
    <Loaded lookup={lookup} what="the quality results">
      {({ history }) =>
        history.length ? (
          <ol className="list timeline">
            {history.map((result, index) => (
              <Line key={index} result={result} />
            ))}
          </ol>
        ) : (
          <Empty>
            No event reported a quality result. dbt tests, Great Expectations and the facet dataQualityAssertions appear
            here.
          </Empty>
        )
      }
    </Loaded>
  );
}

function Line({ result }: { result: QualityResult }) {
  const assertions = assertionsOf(result);
  const failed = assertions.filter(({ success }) => success === false);
  return (
    <li>
      <time>{moment(result.at ?? result.createdAt)}</time>
      <span className="grow">
        <span className={`chip ${failed.length ? "bad" : "good"}`}>
          {failed.length ? `${failed.length} failed` : "passed"}
        </span>{" "}
        <span className="muted">of {assertions.length} checks</span>
        {failed.map(({ assertion, column }, index) => (
          <div key={index} className="inert">
            {assertion} {column && <b>{column}</b>}
          </div>
        ))}
        <details>
          <summary className="muted">all of it</summary>
          <pre tabIndex={0} aria-label="Quality result">
            {JSON.stringify(result, null, 2)}
          </pre>
        </details>
      </span>
    </li>
  );
}

function assertionsOf(result: QualityResult): Assertion[] {
  const found = result.assertions ?? (result.dataQualityAssertions as { assertions?: unknown } | undefined)?.assertions;
  return Array.isArray(found) ? (found as Assertion[]) : [];
}
