/** Coverage: which datasets have column lineage and an owner, which are stale, and which no job reads. */

import type { CalledName, ListedDataset } from "../../api/types";
import { grouped } from "../../text/grouped";
import { ownersOf } from "../node/Overview";

export const STALE_DAYS = 30;
const DAY = 86_400_000;

export interface Covered extends CalledName {
  owners: string[];
  /** The job that the owners are derived from; null if they are the dataset's own, or if there are none. */
  ownersFrom: string | null;
  hasColumns: boolean;
  /** Null if no job writes the dataset: nothing tells how old such a dataset is. */
  lastWrittenAt: string | null;
  isRead: boolean;
  /** Who may read it although no job that reports does; empty if one does. */
  unseen: string;
}

export function covered({
  namespace,
  name,
  displayName,
  columnLineage,
  facets,
  lastWrittenAt,
  isRead,
  frontier,
}: ListedDataset): Covered {
  const derived = facets.ownership?.headwater_derivedFrom as { name?: string } | undefined;
  return {
    namespace,
    name,
    displayName,
    owners: ownersOf(facets),
    ownersFrom: derived?.name ?? null,
    hasColumns: (columnLineage ?? []).length > 0,
    lastWrittenAt,
    isRead,
    unseen: frontier?.sentence ?? "",
  };
}

export type Kind = "all" | "columns" | "no-columns" | "owner" | "no-owner" | "stale" | "unread";

/** The lists, each with what its datasets have in common. */
export const KINDS: Record<Kind, { title: string; has: (dataset: Covered, now: number) => boolean }> = {
  all: { title: "All datasets", has: () => true },
  columns: { title: "With column lineage", has: ({ hasColumns }) => hasColumns },
  "no-columns": { title: "Without column lineage", has: ({ hasColumns }) => !hasColumns },
  owner: { title: "With an owner", has: ({ owners }) => owners.length > 0 },
  "no-owner": { title: "Without an owner", has: ({ owners }) => owners.length === 0 },
  stale: {
    title: "Stale",
    has: ({ lastWrittenAt }, now) => lastWrittenAt !== null && Date.parse(lastWrittenAt) < now - STALE_DAYS * DAY,
  },
  unread: { title: "Without a known reader", has: ({ isRead }) => !isRead },
};

export function kindOf(name: string | null): Kind | null {
  return name !== null && Object.hasOwn(KINDS, name) ? (name as Kind) : null;
}

/** The datasets of a list: of one namespace, or of one owner (null: of none), or of all. */
export interface Part {
  namespace?: string;
  owner?: string | null;
}

export function isIn({ namespace, owner }: Part, dataset: Covered): boolean {
  if (namespace !== undefined && dataset.namespace !== namespace) return false;
  if (owner === null) return dataset.owners.length === 0;
  return owner === undefined || dataset.owners.includes(owner);
}

export interface Row {
  part: Part;
  datasets: Covered[];
}

export function byNamespace(datasets: readonly Covered[]): Row[] {
  return [...grouped(datasets, ({ namespace }) => namespace)].map(([namespace, same]) => ({
    part: { namespace },
    datasets: same,
  }));
}

/** A dataset of two owners counts for both; those of nobody are a row of their own, the last one. */
export function byOwner(datasets: readonly Covered[]): Row[] {
  const owners = [...new Set(datasets.flatMap((dataset) => dataset.owners))].sort();
  const parts: Part[] = [...owners, null].map((owner) => ({ owner }));
  return parts
    .map((part) => ({ part, datasets: datasets.filter((dataset) => isIn(part, dataset)) }))
    .filter(({ datasets: same }) => same.length > 0);
}
