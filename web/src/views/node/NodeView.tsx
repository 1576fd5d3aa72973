/** The page of a dataset or job. Each tab has an address of its own. */

import { type ReactNode, useEffect, useRef } from "react";
import { dataset, job } from "../../api/nodes";
import type { Dataset, Job } from "../../api/types";
import { useLookup } from "../../api/useLookup";
import { Empty, Loaded } from "../../parts/Feedback";
import { Icon } from "../../parts/Icon";
import { Copy } from "../../parts/Name";
import { State } from "../../parts/State";
import { useTitle } from "../../parts/useTitle";
import { linkTo } from "../../routing/location";
import { ago, moment } from "../../text/amounts";
import { contextOf, oneLine, shortName, splitNodeId } from "../../text/names";
import { remember } from "../search/recent";
import { AliasesTab } from "./AliasesTab";
import { ColumnsTab } from "./ColumnsTab";
import { Curation } from "./Curation";
import { ExpectedTab } from "./ExpectedTab";
import { FacetsTab } from "./FacetsTab";
import "./node.css";
import { Overview } from "./Overview";
import { QualityTab } from "./QualityTab";
import { RunsTab } from "./RunsTab";
import { VersionsTab } from "./VersionsTab";

type Tabs = [name: string, label: string, show: () => ReactNode][];

export default function NodeView({ parameters }: { parameters: URLSearchParams }) {
  const nodeId = parameters.get("nodeId") ?? "";
  if (!nodeId) return <Empty>No node is named in this link. Press / and search for one.</Empty>;
  const tab = parameters.get("tab") ?? "overview";
  return splitNodeId(nodeId).kind === "job" ? (
    <JobPage nodeId={nodeId} tab={tab} />
  ) : (
    <DatasetPage nodeId={nodeId} tab={tab} />
  );
}

function DatasetPage({ nodeId, tab }: { nodeId: string; tab: string }) {
  const lookup = useLookup(nodeId, (signal) => dataset(nodeId, signal));
  return (
    <Loaded lookup={lookup} what="the dataset">
      {(found: Dataset) => (
        <Page
          nodeId={nodeId}
          tab={tab}
          kind={oneLine(
            String(found.facets.datasetType?.datasetType ?? (found.type === "STREAM" ? "stream" : "dataset")),
          ).toLowerCase()}
          title={found.name}
          called={found.displayName}
          namespace={found.namespace}
          chips={
            <>
              {found.lastWrittenAt && (
                <span className="muted" title={moment(found.lastWrittenAt)}>
                  written {ago(found.lastWrittenAt)}
                </span>
              )}
              <Curation nodeId={nodeId} node={found} again={lookup.again} />
            </>
          }
          tabs={[
            ["overview", "Overview", () => <Overview nodeId={nodeId} node={found} />],
            [
              "columns",
              `Columns (${found.fields.length})`,
              () => <ColumnsTab nodeId={nodeId} dataset={found} again={lookup.again} />,
            ],
            ["expected", "Expected", () => <ExpectedTab nodeId={nodeId} />],
            ["versions", "Versions", () => <VersionsTab nodeId={nodeId} />],
            ["quality", "Quality", () => <QualityTab nodeId={nodeId} />],
            ["aliases", "Names", () => <AliasesTab nodeId={nodeId} />],
            ["facets", "Facets", () => <FacetsTab facets={found.facets} document={found} />],
          ]}
        />
      )}
    </Loaded>
  );
}

function JobPage({ nodeId, tab }: { nodeId: string; tab: string }) {
  const lookup = useLookup(nodeId, (signal) => job(nodeId, signal));
  return (
    <Loaded lookup={lookup} what="the job">
      {(found: Job) => (
        <Page
          nodeId={nodeId}
          tab={tab}
          kind="job"
          title={found.name}
          called={found.displayName}
          namespace={found.namespace}
          chips={
            <>
              <State state={found.latestRun?.outcome} />
              <span className="muted">{ago(found.latestRun?.endedAt ?? found.updatedAt)}</span>
              <Curation nodeId={nodeId} node={found} again={lookup.again} />
            </>
          }
          tabs={[
            ["overview", "Overview", () => <Overview nodeId={nodeId} node={found} />],
            ["runs", "Runs", () => <RunsTab nodeId={nodeId} />],
            ["expected", "Expected", () => <ExpectedTab nodeId={nodeId} />],
            [
              "facets",
              "Facets",
              () => <FacetsTab facets={{ ...found.latestRun?.facets, ...found.facets }} document={found} />,
            ],
          ]}
        />
      )}
    </Loaded>
  );
}

interface PageProperties {
  nodeId: string;
  tab: string;
  kind: string;
  title: string;
  called?: string | undefined;
  namespace: string;
  chips: ReactNode;
  tabs: Tabs;
}

function Page({ nodeId, tab, kind, title, called, namespace, chips, tabs }: PageProperties) {
  useEffect(() => remember(nodeId, called), [nodeId, called]);
  const short = called ?? shortName(title);
  useTitle(short);
  const shown = tabs.find(([name]) => name === tab) ?? tabs[0]!;
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    row.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [tab]);
  return (
    <section className="sheet">
      <header className="node-head">
        <span className="eyebrow">
          <Icon name={kind === "job" ? "job" : "table"} /> {kind}
        </span>
        <h1 title={oneLine(title)}>
          <bdi>{oneLine(short)}</bdi> <Copy text={title} label="Copy the full name" />
        </h1>
        <div className="crumb">
          <a href={linkTo("namespace", { name: namespace })}>{oneLine(namespace)}</a>
          {contextOf(title, short) && <> · {oneLine(contextOf(title, short))}</>}
        </div>
        <div className="row">{chips}</div>
        <div className="row">
          <a className="button primary" href={linkTo("lineage", { nodeId })}>
            <Icon name="water" /> Lineage
          </a>
          <a className="button" href={linkTo("why", { nodeId })}>
            <Icon name="why" /> Why is it wrong?
          </a>
          {kind !== "job" && (
            <a className="button" href={linkTo("impact", { nodeId })}>
              <Icon name="impact" /> What would a change break?
            </a>
          )}
        </div>
      </header>
      <nav ref={row} className="tabs" aria-label="Parts of this page">
        {tabs.map(([name, label]) => (
          <a
            key={name}
            href={linkTo("node", { nodeId, tab: name })}
            aria-current={name === shown[0] ? "page" : undefined}
          >
            {label}
          </a>
        ))}
      </nav>
      {shown[2]()}
    </section>
  );
}
