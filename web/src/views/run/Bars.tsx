/** A small plot: one bar a run, oldest to the left. The table below it has the same numbers. */

import type { Run } from "../../api/types";
import { bytes, compact, count, duration, moment } from "../../text/amounts";

const UNITS = { duration, bytes, count };
const HEIGHT = 84;
const MOST = 60;

interface Properties {
  title: string;
  runs: readonly Run[];
  measure: (run: Run) => number | null;
  unit: keyof typeof UNITS;
}

export function Bars({ title, runs, measure, unit }: Properties) {
  const shown = runs.slice(0, MOST).toReversed();
  const values = shown.map(measure);
  const most = Math.max(...values.map((value) => value ?? 0), 1);
  const known = values.filter((value) => value !== null);
  const last = known.at(-1);
  const text = (value: number): string => (unit === "count" && value > 99_999 ? compact(value) : UNITS[unit](value));
  return (
    <figure className="card bars">
      <figcaption className="spread">
        <h2>{title}</h2>
        <span className="muted">
          {last === undefined ? "not reported by the producer" : `last ${text(last)}, at most ${text(most)}`}
        </span>
      </figcaption>
      {known.length > 0 && (
        <svg
          viewBox={`0 0 ${Math.max(shown.length, 12) * 10} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${title} of ${shown.length} runs; the table has the numbers`}
        >
          {shown.map((run, index) => {
            const height = Math.max(2, ((values[index] ?? 0) / most) * (HEIGHT - 4));
            return (
              <rect
                key={run.id}
                x={index * 10 + 1.5}
                width={7}
                y={HEIGHT - height}
                height={height}
                rx={1.5}
                className={`bar-${run.outcome.toLowerCase()}`}
              >
                <title>{`${moment(run.startedAt)}: ${values[index] === null ? "unknown" : text(values[index] ?? 0)}, ${run.outcome.toLowerCase().replace("_", " ")}`}</title>
              </rect>
            );
          })}
        </svg>
      )}
    </figure>
  );
}
