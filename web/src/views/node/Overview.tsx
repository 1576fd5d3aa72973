/** What one wants to know first of a node: description, owners, documentation, source, inputs and outputs. */

import { useUnknownOrigins } from "../../api/origins";
import type { Dataset, DisplayNames, Facets, Job, Name as NameOf } from "../../api/types";
import { Name } from "../../parts/Name";
import { linkTo } from "../../routing/location";
import { moment } from "../../text/amounts";
import { inertLines, nodeIdOf, oneLine } from "../../text/names";
import { Exposures, Said } from "./Said";
import { Uses } from "./Uses";

export function Overview({ nodeId, node }: { nodeId: string; node: Dataset | Job }) {
  const { facets } = node;
  const owners = ownersOf(facets);
  const sql = textOf(facets, "sql", "query");
  const source = textOf(facets, "sourceCodeLocation", "url") ?? textOf(facets, "sourceCode", "sourceCode");
  const description = node.description ?? textOf(facets, "documentation", "description");
  const storage = textOf(facets, "storage", "storageLayer");
  return (
    <div className="cards">
      <div className="card">
        <h2>About</h2>
        <dl className="facts">
          <dt>Description</dt>
          <dd className="prose">{description ? inertLines(description) : <span className="muted">none</span>}</dd>
          {"caution" in node && node.caution && (
            <>
              <dt>Data</dt>
              <dd>
                <span className="chip bad">{oneLine(node.caution)}</span>
              </dd>
            </>
          )}
          <dt>Owner</dt>
          <dd>{owners.length ? owners.map(oneLine).join(", ") : <span className="muted">none known</span>}</dd>
          <dt>Full name</dt>
          <dd className="mono">{oneLine(node.name)}</dd>
          {"sourceName" in node && (
            <>
              <dt>Source</dt>
              <dd>{oneLine(node.sourceName)}</dd>
            </>
          )}
          {storage && (
            <>
              <dt>Storage</dt>
              <dd>{oneLine(storage)}</dd>
            </>
          )}
          {source && (
            <>
              <dt>Code</dt>
              <dd>
                {/^https:\/\//.test(source) ? (
                  <a href={source} rel="noreferrer" target="_blank">
                    {source}
                  </a>
                ) : (
                  oneLine(source.slice(0, 300))
                )}
              </dd>
            </>
          )}
          <Said node={node} />
          <dt>First seen</dt>
          <dd>{moment(node.createdAt)}</dd>
          {"lastWrittenAt" in node && (
            <>
              <dt>Last write</dt>
              <dd>{node.lastWrittenAt ? moment(node.lastWrittenAt) : <span className="muted">none known</span>}</dd>
            </>
          )}
          <dt>Last seen</dt>
          <dd>{moment(node.updatedAt)}</dd>
        </dl>
      </div>
      {"fields" in node && <Uses nodeId={nodeId} dataset={node} />}
      {"inputs" in node && (
        <>
          <Names title="Inputs" names={node.inputs} called={node.displayNames} />
          <Names title="Outputs" names={node.outputs} called={node.displayNames} />
        </>
      )}
      {"fields" in node && <Exposures exposures={node.exposures} />}
      {"columnLineage" in node && <Origins nodeId={nodeId} dataset={node} />}
      {sql && (
        <div className="card wide">
          <h2>SQL</h2>
          <pre tabIndex={0} aria-label="SQL">
            {sql}
          </pre>
        </div>
      )}
    </div>
  );
}

function Names({ title, names, called = {} }: { title: string; names: NameOf[]; called?: DisplayNames | undefined }) {
  return (
    <div className="card">
      <h2>
        {title} <span className="muted">{names.length}</span>
      </h2>
      <ul className="list">
        {names.slice(0, 50).map(({ namespace, name }) => {
          const nodeId = nodeIdOf("dataset", namespace, name);
          return (
            <li key={nodeId}>
              <span className="grow">
                <Name name={name} called={called[nodeId]} href={linkTo("node", { nodeId })} />
              </span>
              <span className="end">{oneLine(namespace)}</span>
            </li>
          );
        })}
        {!names.length && <li className="muted">none</li>}
        {names.length > 50 && <li className="muted">and {names.length - 50} more, in the lineage</li>}
      </ul>
    </div>
  );
}

/** The tables that the columns come from. */
function Origins({ nodeId, dataset }: { nodeId: string; dataset: Dataset }) {
  const { displayNames } = useUnknownOrigins(nodeId);
  const names = (dataset.columnLineage ?? [])
    .flatMap(({ inputFields }) => inputFields)
    .map(({ namespace, dataset: name }) => {
      const id = nodeIdOf("dataset", namespace, name);
      return [id, { namespace, name, displayName: displayNames[id] }] as const;
    });
  return <Names title="Its columns come from" names={[...new Map(names).values()]} />;
}

export function ownersOf(facets: Facets): string[] {
  const owners = facets.ownership?.owners;
  return Array.isArray(owners)
    ? owners.flatMap((owner: { name?: unknown }) => (typeof owner?.name === "string" ? [owner.name] : []))
    : [];
}

function textOf(facets: Facets, facet: string, member: string): string | null {
  const value = facets[facet]?.[member];
  return typeof value === "string" && value ? value : null;
}
