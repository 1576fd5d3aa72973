/** Coverage, for who answers for it: by namespace, how many datasets have column lineage, an owner, recent data. */

import { get, pathOf } from "../../api/request";
import type { Dataset, Namespace } from "../../api/types";
import { useLookup } from "../../api/useLookup";
import { Empty, Shown, Truncated } from "../../parts/Told";
import { Table } from "../../parts/Table";
import { linkTo } from "../../routing/location";
import { count } from "../../text/amounts";
import { oneLine } from "../../text/names";
import { ownersOf } from "../node/Overview";

const MOST_NAMESPACES = 60;
const MOST_DATASETS = 1000;
const STALE_DAYS = 30;
const DAY = 86_400_000;

interface Row {
  namespace: string;
  datasets: number;
  withColumns: number;
  withOwner: number;
  stale: number;
}

interface Found {
  rows: Row[];
  isCut: boolean;
}

export default function CoverageView() {
  const lookup = useLookup("coverage", find);
  return (
    <section className="sheet">
      <h1>Coverage</h1>
      <Shown lookup={lookup} what="the coverage">
        {({ rows, isCut }) => (rows.length ? <Rows rows={rows} isCut={isCut} /> : <Empty>No dataset yet.</Empty>)}
      </Shown>
    </section>
  );
}

function Rows({ rows, isCut }: Found) {
  const share = (name: string, of: (row: Row) => number) => ({
    name,
    value: (row: Row) => (row.datasets ? of(row) / row.datasets : 0),
    show: (row: Row) => (
      <a href={linkTo("namespace", { name: row.namespace })} title={`${of(row)} of ${row.datasets}`}>
        <span className="share">
          <span className="bar-track" aria-hidden="true">
            <svg width="80" height="6">
              <rect width={(80 * of(row)) / Math.max(row.datasets, 1)} height="6" fill="var(--accent)" />
            </svg>
          </span>
          {Math.round((100 * of(row)) / Math.max(row.datasets, 1))} %
        </span>
      </a>
    ),
    isNumber: true,
  });
  return (
    <>
      {isCut && <Truncated>Of the first {MOST_NAMESPACES} namespaces, and of each the first {count(MOST_DATASETS)} datasets.</Truncated>}
      <Table
        caption="Coverage by namespace"
        file="coverage"
        rows={rows}
        keyOf={({ namespace }) => namespace}
        columns={[
          { name: "Namespace", value: ({ namespace }) => namespace, show: ({ namespace }) => <a href={linkTo("namespace", { name: namespace })}>{oneLine(namespace)}</a> },
          { name: "Datasets", value: ({ datasets }) => datasets, isNumber: true },
          share("With column lineage", ({ withColumns }) => withColumns),
          share("With an owner", ({ withOwner }) => withOwner),
          share(`Unchanged for ${STALE_DAYS} days`, ({ stale }) => stale),
        ]}
      />
    </>
  );
}

async function find(signal: AbortSignal): Promise<Found> {
  const { namespaces, totalCount } = await get<{ namespaces: Namespace[]; totalCount: number }>("namespaces", { limit: MOST_NAMESPACES }, signal);
  const rows: Row[] = [];
  let isCut = totalCount > namespaces.length;
  for (const { name } of namespaces) {
    const { datasets, totalCount: all } = await get<{ datasets: Dataset[]; totalCount: number }>(`${pathOf("namespaces", name)}/datasets`, { limit: MOST_DATASETS }, signal);
    isCut ||= all > datasets.length;
    if (datasets.length) rows.push(rowOf(name, datasets));
  }
  return { rows, isCut };
}

function rowOf(namespace: string, datasets: readonly Dataset[]): Row {
  const before = Date.now() - STALE_DAYS * DAY;
  const counted = (is: (dataset: Dataset) => boolean): number => datasets.filter(is).length;
  return {
    namespace,
    datasets: datasets.length,
    withColumns: counted(({ columnLineage }) => (columnLineage ?? []).length > 0),
    withOwner: counted(({ facets }) => ownersOf(facets ?? {}).length > 0),
    stale: counted(({ lastModifiedAt, updatedAt }) => Date.parse(lastModifiedAt ?? updatedAt) < before),
  };
}
