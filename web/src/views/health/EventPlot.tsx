/** Events an hour. */

import { count } from "../../text/amounts";

export interface Interval {
  startInterval: string;
  endInterval: string;
  start: number;
  complete: number;
  fail: number;
  abort: number;
}

const HEIGHT = 90;

export function EventPlot({ intervals }: { intervals: readonly Interval[] }) {
  const most = Math.max(1, ...intervals.map(totalOf));
  return (
    <svg
      className="event-plot"
      viewBox={`0 0 ${intervals.length * 10} ${HEIGHT}`}
      preserveAspectRatio="none"
      width="100%"
      height={HEIGHT}
      role="img"
      aria-label={`Events an hour, at most ${count(most)}`}
    >
      {intervals.map((interval, index) => {
        const height = (totalOf(interval) / most) * (HEIGHT - 4);
        const failed = ((interval.fail + interval.abort) / most) * (HEIGHT - 4);
        return (
          <g key={interval.startInterval}>
            <title>{`${interval.startInterval.slice(0, 16)}Z: ${count(totalOf(interval))} events, ${interval.fail + interval.abort} of failures`}</title>
            <rect
              x={index * 10 + 1}
              y={HEIGHT - Math.max(height, 1)}
              width={8}
              height={Math.max(height, 1)}
              fill="var(--accent)"
            />
            {failed > 0 && <rect x={index * 10 + 1} y={HEIGHT - failed} width={8} height={failed} fill="var(--bad)" />}
          </g>
        );
      })}
    </svg>
  );
}

function totalOf({ start, complete, fail, abort }: Interval): number {
  return start + complete + fail + abort;
}
