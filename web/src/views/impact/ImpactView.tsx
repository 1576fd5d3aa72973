/** Impact: what a change would break, and what it may break, by owner, each with the way there; copied as Markdown. */

import { Fragment, useState } from "react";
import { get } from "../../api/request";
import type { Impact, ImpactItem } from "../../api/types";
import { useLookup } from "../../api/useLookup";
import { isPossible, nodesText, sureness, wayOf } from "../../graph/risk";
import { isMasked, transformationText } from "../../graph/trace";
import { Empty, Loaded, Truncated, Unseen } from "../../parts/Feedback";
import { Icon, type IconName } from "../../parts/Icon";
import { copyText, Name } from "../../parts/Name";
import { Table } from "../../parts/Table";
import { impactMarkdown } from "../../picture/markdown";
import { linkTo } from "../../routing/location";
import { count, counted } from "../../text/amounts";
import { columnOf, oneLine, shortName, splitNodeId } from "../../text/names";
import "./impact.css";

const MOST = 1000;
const ICONS: Record<string, IconName> = { DATASET: "table", JOB: "job", DATASET_FIELD: "column" };

export default function ImpactView({ parameters }: { parameters: URLSearchParams }) {
  const nodeId = parameters.get("nodeId") ?? "";
  const lookup = useLookup(nodeId, (signal) => get<Impact>("impact", { nodeId, limit: MOST }, signal));
  if (!nodeId) return <Empty>No dataset or column is named in this link.</Empty>;
  const name = displayName(nodeId);
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
            <Found impact={found} name={name} />
          </>
        )}
      </Loaded>
    </section>
  );
}

function Found({ impact, name }: { impact: Impact; name: string }) {
  const [isCopied, setCopied] = useState(false);
  const items = impact.owners.flatMap(({ owner, items: own }) => own.map((item) => ({ owner: owner ?? "", ...item })));
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
          <b>{nodesText(impact)}</b>, of {counted(impact.owners.filter(({ owner }) => owner).length, "owner")}
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
      {impact.truncated && <Truncated>The walk was cut: there is more downstream.</Truncated>}
      {items.length < impact.totalCount && (
        <Truncated>The first {count(items.length)} are listed, the nearest first.</Truncated>
      )}
      <div className="owners">
        {impact.owners.map(({ owner, items: own }) => (
          <div key={owner ?? ""} className="card">
            <h2 className="row">
              <Icon name="person" /> {owner ? oneLine(owner) : <span className="muted">no owner</span>}{" "}
              <span className="muted">{own.length}</span>
            </h2>
            <ul className="list">
              {own.slice(0, 30).map((item, index) => (
                <Fragment key={item.nodeId}>
                  {isPossible(item) && !(index && isPossible(own[index - 1] ?? item)) && (
                    <li className="muted">May break</li>
                  )}
                  <Item item={item} />
                </Fragment>
              ))}
              {own.length > 30 && <li className="muted">and {own.length - 30} more, in the table below</li>}
            </ul>
          </div>
        ))}
      </div>
      <Table
        caption="Everything that would break, or may break"
        file={`impact-${shortName(name)}`}
        rows={items}
        keyOf={({ nodeId }) => nodeId}
        columns={[
          { name: "Owner", value: ({ owner }) => owner },
          {
            name: "Node",
            value: ({ nodeId }) => displayName(nodeId),
            show: ({ nodeId }) => <Name name={displayName(nodeId)} href={linkTo("lineage", lineageOf(nodeId))} />,
          },
          { name: "Kind", value: ({ type }) => KINDS[type] ?? type },
          { name: "Breaks", value: sureness },
          { name: "Hops", value: ({ distance }) => distance, isNumber: true },
          { name: "By", value: how },
          {
            name: "Path",
            value: ({ path }) => path.map(displayName).join(" → "),
            show: ({ path }) => (
              <span title={path.map((step) => oneLine(displayName(step))).join(" → ")}>
                {path.map((step) => oneLine(shortStep(step))).join(" → ")}
              </span>
            ),
          },
        ]}
      />
    </>
  );
}

function Item({ item }: { item: ImpactItem }) {
  const name = displayName(item.nodeId);
  return (
    <li>
      <Icon name={ICONS[item.type] ?? "table"} label={KINDS[item.type]} />
      <span className="grow">
        <Name
          name={name}
          short={item.type === "DATASET_FIELD" ? name : undefined}
          href={linkTo("lineage", lineageOf(item.nodeId))}
        />
        {item.caution && <span className="chip bad">{oneLine(item.caution)}</span>}
        <details>
          <summary className="muted">{how(item)}</summary>
          <ol className="path">
            {item.path.map((step) => (
              <li key={step}>{oneLine(displayName(step))}</li>
            ))}
          </ol>
        </details>
      </span>
      <span className="end">{counted(item.distance, "hop")}</span>
    </li>
  );
}

const KINDS: Record<string, string> = { DATASET: "dataset", JOB: "job", DATASET_FIELD: "column" };

function how(item: ImpactItem): string {
  const { transformations = [] } = item;
  return `${wayOf(item)}${transformations.length ? ` (${transformationText(transformations)}${isMasked(transformations) ? ", masked" : ""})` : ""}`;
}

function displayName(nodeId: string): string {
  const { kind, name } = splitNodeId(nodeId);
  if (kind !== "datasetField") return name;
  const { dataset, field } = columnOf(nodeId);
  return `${shortName(splitNodeId(dataset).name)}.${field}`;
}

function shortStep(nodeId: string): string {
  return splitNodeId(nodeId).kind === "datasetField" ? displayName(nodeId) : shortName(splitNodeId(nodeId).name);
}

function lineageOf(nodeId: string): Record<string, string> {
  if (splitNodeId(nodeId).kind !== "datasetField") return { nodeId };
  const { dataset, field } = columnOf(nodeId);
  return { nodeId: dataset, table: dataset, column: field };
}
