/** A small plot: one bar a run, oldest to the left, before the band of what is usual. A table has the numbers. */

import type { Measured } from "../../api/expectations";
import { moment } from "../../text/amounts";

const HEIGHT = 84;
const STEP = 10;
const LEAST_STEPS = 12;

export interface MeasuredRun extends Measured {
  run: string;
  startedAt: string;
  failed: boolean;
}

export function BandPlot({
  title,
  runs,
  text,
}: {
  title: string;
  runs: readonly MeasuredRun[];
  text: (amount: number) => string;
}) {
  const most = Math.max(1, ...runs.flatMap(({ amount, high }) => [amount ?? 0, high ?? 0]));
  const y = (amount: number): number => HEIGHT - (Math.max(amount, 0) / most) * (HEIGHT - 4);
  const last = runs.findLast(({ amount }) => amount !== null);
  return (
    <figure className="card bars">
      <figcaption className="spread">
        <h2>{title}</h2>
        <span className="muted">{last ? said(last, text) : "not known"}</span>
      </figcaption>
      {last && (
        <svg
          viewBox={`0 0 ${Math.max(runs.length, LEAST_STEPS) * STEP} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${title} of ${runs.length} runs; the table has the numbers`}
        >
          {runs.map((run, index) => (
            <g key={run.run}>
              {run.low !== undefined && run.high !== undefined && (
                <rect
                  className="band"
                  x={index * STEP}
                  width={STEP}
                  y={y(run.high)}
                  height={Math.max(2, y(run.low) - y(run.high))}
                />
              )}
              {run.amount !== null && (
                <rect
                  className={run.failed ? "bar-failed" : isUnusual(run) ? "bar-unusual" : "bar-completed"}
                  x={index * STEP + 2.5}
                  width={STEP - 5}
                  y={Math.min(y(run.amount), HEIGHT - 2)}
                  height={Math.max(2, HEIGHT - y(run.amount))}
                  rx={1}
                >
                  <title>{`${moment(run.startedAt)}: ${said(run, text)}${run.failed ? ", failed" : ""}`}</title>
                </rect>
              )}
            </g>
          ))}
        </svg>
      )}
    </figure>
  );
}

/** Whether the amount of a run that went well is beyond what was usual. */
export function isUnusual({ amount, low, high, failed }: MeasuredRun): boolean {
  if (failed || amount === null || low === undefined || high === undefined) return false;
  return amount < low || amount > high;
}

function said({ amount, low, high }: Measured, text: (amount: number) => string): string {
  const told = amount === null ? "unknown" : text(amount);
  return low === undefined || high === undefined ? told : `${told}, usual ${text(low)} to ${text(high)}`;
}
