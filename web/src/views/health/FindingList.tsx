/** One check of the health: what it found, each with the place to look, and the remedy. */

import { oneLine } from "../../text/names";

const MOST = 20;

interface Properties {
  title: string;
  none: string;
  remedy: string;
  rows: { key: string; text: string; why?: string; link: string }[];
}

export function FindingList({ title, none, remedy, rows }: Properties) {
  return (
    <div className="card">
      <h2>{title}</h2>
      {rows.length ? (
        <>
          <ul className="list">
            {rows.slice(0, MOST).map(({ key, text, why, link }) => (
              <li key={key}>
                <span className="grow inert">
                  <a href={link}>
                    <bdi>{oneLine(text)}</bdi>
                  </a>
                  {why && <div className="muted">{why}</div>}
                </span>
              </li>
            ))}
          </ul>
          <p className="muted">
            {rows.length > MOST && `And ${rows.length - MOST} more. `}
            {remedy}
          </p>
        </>
      ) : (
        <p className="muted">{none}</p>
      )}
    </div>
  );
}
