/**
 * Impact: what a change would break, and what it may break, by owner, each with the way there; narrowed by type, owner,
 * namespace and hops; copied as Markdown.
 */

import { Fragment, type ReactNode, useState } from "react";
import { get } from "../../api/request";
import type { DisplayNames, Impact, ImpactItem } from "../../api/types";
import { useLater } from "../../api/useLater";
import { useLookup } from "../../api/useLookup";
import { isPossible, sureness, wayOf } from "../../graph/risk";
import { isMasked, transformationText } from "../../graph/trace";
import { Empty, Loaded, More, Truncated, Unseen } from "../../parts/Feedback";
import { Icon, type IconName } from "../../parts/Icon";
import { copyText, Name, OutsideName } from "../../parts/Name";
import { Table } from "../../parts/Table";
import { useTitle } from "../../parts/useTitle";
import { impactMarkdown } from "../../picture/markdown";
import { linkTo } from "../../routing/location";
import { count, counted } from "../../text/amounts";
import { grouped } from "../../text/grouped";
import { calledShort, columnOf, kindOf, oneLine, shortName, splitNodeId } from "../../text/names";
import { FILTERS, Filters, isChosen, KINDS, type Listed } from "./Filters";
import "./impact.css";

const MOST = 1000;
/** The cards of the owners, and the nodes of a card: the table has all. */
const MOST_OWNERS = 12;
const MOST_OF_OWNER = 12;
const ICONS: Record<string, IconName> = { DATASET: "table", JOB: "job", DATASET_FIELD: "column", EXPOSURE: "exposure" };

export default function ImpactView({ parameters }: { parameters: URLSearchParams }) {
  const nodeId = parameters.get("nodeId") ?? "";
  const lookup = useLookup(nodeId, (signal) => get<Impact>("impact", { nodeId, limit: MOST }, signal));
  const later = useLater<Impact>(nodeId, (cursor) => get("impact", { nodeId, limit: MOST, cursor }));
  const name = calledBy(lookup.value?.displayNames)(nodeId);
  useTitle(name);
  if (!nodeId) return <Empty>No dataset or column is named in this link.</Empty>;
  return (
    <section className="sheet">
      <header className="node-head">
        <span className="eyebrow">
          <Icon name="impact" /> Impact
        </span>
        <h1>What would break if {oneLine(name)} changed?</h1>
      </header>
      <Loaded lookup={lookup} what="the impact">
        {(found) => (
          <>
            {found.caution && <p className="chip bad">{oneLine(found.caution)}</p>}
            <Found impact={withPages(found, later.pages)} name={nameOf(nodeId)} parameters={parameters}>
              <More later={later} first={found}>
                Show the next {count(MOST)}
              </More>
            </Found>
          </>
        )}
      </Loaded>
    </section>
  );
}

interface FoundProperties {
  impact: Impact;
  name: string;
  parameters: URLSearchParams;
  /** What fetches more of the list. */
  children: ReactNode;
}

function Found({ impact, name, parameters, children }: FoundProperties) {
  const [isCopied, setCopied] = useState(false);
  const items = itemsOf(impact);
  const called = calledBy(impact.displayNames);
  const shown = items.filter((item) => FILTERS.every(({ name, of }) => isChosen(parameters.get(name), of(item))));
  const owners = impact.owners.filter(({ owner }) => owner).length;
  const groups = groupsOf(impact, new Set(shown.map(({ nodeId }) => nodeId)));
  if (!impact.totalCount)
    return (
      <Empty>
        Nothing downstream is known to use it. <Unseen frontier={impact.frontier} />
      </Empty>
    );
  const copy = (): void => {
    void copyText(impactMarkdown(impact, name)).then(() => setCopied(true));
  };
  return (
    <>
      <div className="row">
        <span>
          <b>{oneLine(impact.breaks.sentence)}</b> {owners ? `Of ${counted(owners, "owner")}` : "No owner is known"}
          {impact.hiddenCount ? `, and ${counted(impact.hiddenCount, "node")} in namespaces that you may not read` : ""}
        </span>
        <span className="push" />
        <a className="button" href={linkTo("lineage", lineageOf(impact.nodeId))}>
          <Icon name="water" /> In the graph
        </a>
        <button onClick={copy}>
          <Icon name={isCopied ? "check" : "copy"} /> {isCopied ? "Copied" : "Copy as Markdown"}
        </button>
      </div>
      <p className="muted">
        <Unseen frontier={impact.frontier} />
      </p>
      {impact.truncated && <Truncated>The search stopped early: there is more downstream.</Truncated>}
      {items.length < impact.totalCount && (
        <div className="row">
          <Truncated>
            The first {count(items.length)} of {count(impact.totalCount)} are listed, the certain and the nearest first.
          </Truncated>
          {children}
        </div>
      )}
      <Filters items={items} parameters={parameters} shown={shown.length} />
      <div className="owners">
        {groups.slice(0, MOST_OWNERS).map(({ owner, items: own }) => (
          <div key={owner ?? ""} className="card">
            <h2 className="row">
              <Icon name="person" /> {owner ? oneLine(owner) : <span className="muted">no owner</span>}{" "}
              <span className="muted">{own.length}</span>
            </h2>
            <ul className="list">
              {own.slice(0, MOST_OF_OWNER).map((item, index) => (
                <Fragment key={item.nodeId}>
                  {isPossible(item) && !(index && isPossible(own[index - 1] ?? item)) && (
                    <li className="muted">May break</li>
                  )}
                  <Item item={item} called={called} />
                </Fragment>
              ))}
              {own.length > MOST_OF_OWNER && (
                <li className="muted">+{count(own.length - MOST_OF_OWNER)} more, in the table below</li>
              )}
            </ul>
          </div>
        ))}
      </div>
      {groups.length > MOST_OWNERS && (
        <p className="muted">+{counted(groups.length - MOST_OWNERS, "more owner")}, in the table below</p>
      )}
      <Table
        caption="Everything that would break, or may break"
        file={`impact-${shortName(name)}`}
        rows={shown}
        keyOf={({ nodeId }) => nodeId}
        columns={[
          { name: "Owner", value: ({ owners }) => owners.join(", ") },
          {
            name: "Node",
            value: ({ nodeId }) => wholeOf(nodeId, called),
            show: (item) => <ItemName item={item} called={called} />,
          },
          { name: "Kind", value: ({ type }) => KINDS[type] ?? type },
          { name: "Breaks", value: sureness },
          { name: "Hops", value: ({ distance }) => distance, isNumber: true },
          { name: "By", value: how },
          {
            name: "Path",
            value: ({ path }) => stepsOf(path, nameOf).join(" → "),
            show: ({ path }) => (
              <span title={stepsOf(path, nameOf).join(" → ")}>{stepsOf(path, called).join(" → ")}</span>
            ),
          },
        ]}
      />
    </>
  );
}

/** What a node is called in the answer: of a table the end of its name, of a column its table, too. */
type Called = (nodeId: string) => string;

function ItemName({ item: { nodeId, exposure }, called }: { item: ImpactItem; called: Called }) {
  if (exposure) return <OutsideName name={exposure.name} url={exposure.url} />;
  return <Name name={nameOf(nodeId)} short={called(nodeId)} href={linkTo("lineage", lineageOf(nodeId))} />;
}

function Item({ item, called }: { item: ImpactItem; called: Called }) {
  return (
    <li>
      <Icon name={ICONS[item.type] ?? "table"} label={KINDS[item.type]} />
      <span className="grow">
        <ItemName item={item} called={called} />
        {item.exposure?.type && <span className="muted"> {oneLine(item.exposure.type)}</span>}
        {item.caution && <span className="chip bad">{oneLine(item.caution)}</span>}
        <details>
          <summary className="muted">{how(item)}</summary>
          <ol className="path">
            {stepsOf(item.path, nameOf).map((step, index) => (
              <li key={index}>{step}</li>
            ))}
          </ol>
        </details>
      </span>
      <span className="end">{counted(item.distance, "hop")}</span>
    </li>
  );
}

function how(item: ImpactItem): string {
  const { transformations = [] } = item;
  return `${wayOf(item)}${transformations.length ? ` (${transformationText(transformations)}${isMasked(transformations) ? ", masked" : ""})` : ""}`;
}

/** The nodes, each once, with all their owners, what certainly breaks first, then the nearest. */
function itemsOf({ owners }: Impact): Listed[] {
  const found = new Map<string, Listed>();
  for (const { owner, items } of owners)
    for (const item of items) {
      const known = found.get(item.nodeId)?.owners ?? [];
      found.set(item.nodeId, { ...item, owners: owner === null ? known : [...known, owner] });
    }
  return [...found.values()].toSorted(byCertainty);
}

/** What a list sorts and filters by. */
function wholeOf(nodeId: string, called: Called): string {
  const [name, short] = [nameOf(nodeId), called(nodeId)];
  return name.endsWith(short) ? name : `${short} (${name})`;
}

/** An impact with the nodes of later pages, each under its owners. */
function withPages(first: Impact, later: readonly Impact[]): Impact {
  const all = [first, ...later].flatMap(({ owners }) => owners);
  const owners = [...grouped(all, ({ owner }) => owner)].map(([owner, parts]) => ({
    owner,
    items: parts.flatMap(({ items }) => items),
  }));
  return { ...first, displayNames: Object.assign({}, ...[first, ...later].map((page) => page.displayNames)), owners };
}

function byCertainty(one: ImpactItem, other: ImpactItem): number {
  return Number(isPossible(one)) - Number(isPossible(other)) || one.distance - other.distance;
}

/** The owners with what is shown of each, those first of whom something certainly breaks. */
function groupsOf({ owners }: Impact, shown: ReadonlySet<string>): Impact["owners"] {
  return owners
    .map(({ owner, items }) => ({ owner, items: items.filter(({ nodeId }) => shown.has(nodeId)) }))
    .filter(({ items }) => items.length)
    .toSorted((one, other) => Number(isPossible(one.items[0]!)) - Number(isPossible(other.items[0]!)));
}

/** The steps of a way. On the path of a column, `table orders` says that nobody knows by which of its columns. */
function stepsOf(path: string[], name: (step: string) => string): string[] {
  const isOfColumn = splitNodeId(path[0] ?? "").kind === "datasetField";
  return path.map((step, index) => {
    const isTable = isOfColumn && index < path.length - 1 && splitNodeId(step).kind === "dataset";
    return oneLine(`${isTable ? "table " : ""}${name(step)}`);
  });
}

/** The whole name of a job or dataset, and of a column with the end of its dataset's. */
function nameOf(nodeId: string): string {
  const { kind, name } = splitNodeId(nodeId);
  if (kind !== "datasetField") return name;
  const { dataset, field } = columnOf(nodeId);
  return `${shortName(splitNodeId(dataset).name)}.${field}`;
}

/** What people call the nodes, by the display names in the answer. */
function calledBy(displayNames: DisplayNames = {}): Called {
  return (nodeId) => {
    const table = kindOf(nodeId) === "datasetField" ? columnOf(nodeId).dataset : nodeId;
    const short = calledShort({ name: splitNodeId(table).name, displayName: displayNames[table] });
    return table === nodeId ? short : `${short}.${columnOf(nodeId).field}`;
  };
}

function lineageOf(nodeId: string): Record<string, string> {
  if (splitNodeId(nodeId).kind !== "datasetField") return { nodeId };
  const { dataset, field } = columnOf(nodeId);
  return { nodeId: dataset, table: dataset, column: field };
}
