/** The datasets that coverage counts: a request for each hundred, up to a bound. */

import { get, pathOf } from "../../api/request";
import type { ListedDataset, Namespace, Page } from "../../api/types";
import { isCanary, isListedNamespace } from "../../graph/unlisted";
import { type Covered, covered } from "./coverage";

export const MOST_DATASETS = 5000;
export const MOST_NAMESPACES = 500;
const PAGE = 100;
const AT_ONCE = 4;

export interface Loaded {
  datasets: Covered[];
  isCut: boolean;
}

/**
 * The datasets of a namespace, else of all that the key reads. `tell` hears how many namespaces of how many were read.
 */
export async function load(
  namespace: string | undefined,
  signal: AbortSignal,
  tell: (read: number, all: number) => void,
): Promise<Loaded> {
  const found: Loaded = { datasets: [], isCut: false };
  const names = namespace === undefined ? await namespaces(found, signal) : [namespace];
  const next = names.entries();
  const work = async (): Promise<void> => {
    for (const [read, name] of next) {
      tell(read, names.length);
      await loadNamespace(name, found, signal);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

async function namespaces(found: Loaded, signal: AbortSignal): Promise<string[]> {
  const answer = await get<{ namespaces: Namespace[]; totalCount: number }>(
    "namespaces",
    { limit: MOST_NAMESPACES },
    signal,
  );
  found.isCut ||= answer.totalCount > answer.namespaces.length;
  return answer.namespaces.filter(isListedNamespace).map(({ name }) => name);
}

async function loadNamespace(name: string, found: Loaded, signal: AbortSignal): Promise<void> {
  let cursor: string | undefined;
  do {
    if (found.datasets.length >= MOST_DATASETS) {
      found.isCut = true;
      return;
    }
    const page: Page & { datasets: ListedDataset[] } = await get(
      `${pathOf("namespaces", name)}/datasets`,
      { limit: PAGE, withUsage: true, cursor },
      signal,
    );
    found.datasets.push(...page.datasets.filter((dataset) => !dataset.deleted && !isCanary(dataset)).map(covered));
    cursor = page.cursor;
  } while (cursor);
}
