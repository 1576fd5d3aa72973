/** When each producer, or each namespace, was last heard of. */

import { linkTo } from "../../routing/location";
import { ago, counted, moment } from "../../text/amounts";
import { oneLine } from "../../text/names";
import type { LastEvent } from "./findings";

const MOST = 12;
const DAY = 86_400_000;

interface Properties {
  title: string;
  noun: string;
  rows: readonly LastEvent[];
  /** The view of a row, for those that have one. */
  view?: string;
  remedy: string;
}

export function LastEvents({ title, noun, rows, view, remedy }: Properties) {
  const silent = rows.filter(({ at }) => Date.now() - Date.parse(at) > DAY);
  return (
    <div className="card">
      <h2>{title}</h2>
      <ul className="list">
        {rows.slice(0, MOST).map((row) => (
          <li key={row.name}>
            <span className="grow inert">
              {view ? <a href={linkTo(view, { name: row.name })}>{oneLine(row.name)}</a> : oneLine(row.name)}
              <div className="muted">{counted(row.count, noun)}</div>
            </span>
            {silent.includes(row) && <span className="chip warn">silent</span>}
            <time className="end" dateTime={row.at} title={moment(row.at)}>
              {ago(row.at)}
            </time>
          </li>
        ))}
      </ul>
      <p className="muted">
        {rows.length > MOST && `And ${rows.length - MOST} more, heard of since. `}
        {silent.length > 0 && remedy}
      </p>
    </div>
  );
}
