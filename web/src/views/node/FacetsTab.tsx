/** The facets of a node, each in a line that can be read and opened, and the document as the API has it. */

import type { Facets } from "../../api/types";
import { Empty } from "../../parts/Feedback";
import { Copy } from "../../parts/Name";
import { oneLine } from "../../text/names";
import { readable } from "../../text/readable";

/** Characters of a facet that are shown before it is opened. */
const MOST = 300;

export function FacetsTab({ facets, document }: { facets: Facets; document?: unknown }) {
  const names = Object.keys(facets).sort();
  if (!names.length && !document) return <Empty>No event gave a facet.</Empty>;
  return (
    <div className="facets">
      {names.map((name) => (
        <Facet key={name} name={name} facet={facets[name] ?? {}} />
      ))}
      {document !== undefined && <Raw document={document} />}
    </div>
  );
}

function Facet({ name, facet }: { name: string; facet: Record<string, unknown> }) {
  const { _producer: producer, _schemaURL: _, ...members } = facet;
  const entries = Object.entries(members);
  const arePlain = entries.every(([, value]) => value === null || typeof value !== "object");
  return (
    <details className="card facet">
      <summary>
        <h2>{name}</h2>
        <span className="line muted">{oneLine(readable(members).slice(0, MOST))}</span>
      </summary>
      {arePlain ? (
        <dl className="facts">
          {entries.map(([member, value]) => (
            <div key={member} className="contents">
              <dt>{member}</dt>
              <dd>{String(value)}</dd>
            </div>
          ))}
        </dl>
      ) : (
        <pre tabIndex={0} aria-label={`Facet ${name}`}>
          {JSON.stringify(members, null, 2)}
        </pre>
      )}
      {typeof producer === "string" && <p className="muted inert">by {producer}</p>}
    </details>
  );
}

function Raw({ document }: { document: unknown }) {
  const text = JSON.stringify(document, null, 2);
  return (
    <details className="card facet">
      <summary>
        <h2>As the API has it</h2>
      </summary>
      <Copy text={text} label="Copy the JSON" />
      <pre tabIndex={0} aria-label="JSON">
        {text}
      </pre>
    </details>
  );
}
