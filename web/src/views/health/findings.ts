/** What may be wrong with what arrived, as `headwater doctor` finds it: islands, suspicious names. */

import type { Job } from "../../api/types";

type JobEdges = Pick<Job, "namespace" | "name" | "inputs" | "outputs">;

/** Beginnings of namespaces that mean little to other machines, with the remedy: `headwater doctor` has the same. */
const SUSPICIOUS: [pattern: RegExp, why: string][] = [
  [/^hive:\/\/ip-/, "the host of a temporary cluster: map the name to the Glue catalog, by NamespaceAliases"],
  [/^s3[an]:\/\//, "the same as s3, but sent by an older client or listener: upgrade the listener"],
  [/^file($|:)/, "files of one machine, which other machines cannot read: write paths with s3:// or hdfs://"],
  [/^hdfs:\/\/ip-/, "the host of a temporary cluster: use the name of the name service, or write to S3"],
  [
    /^(kafka|jdbc|postgres|mysql):\/\/localhost|\/\/127\./,
    "an address that means another host on each machine: use the host's name",
  ],
];

/** The jobs that write, and share no dataset with any other job, if others do. */
export function islands<T extends JobEdges>(jobs: readonly T[]): T[] {
  const users = new Map<string, Set<T>>();
  const datasetsOf = (job: T): string[] =>
    [...job.inputs, ...job.outputs].map(({ namespace, name }) => `${namespace}\n${name}`);
  for (const job of jobs)
    for (const dataset of datasetsOf(job)) users.set(dataset, (users.get(dataset) ?? new Set()).add(job));
  const isAlone = (job: T): boolean => datasetsOf(job).every((dataset) => users.get(dataset)!.size === 1);
  const alone = jobs.filter(isAlone);
  return alone.length < jobs.length ? alone.filter(({ outputs }) => outputs.length > 0) : [];
}

export function suspicious(names: readonly string[]): { name: string; why: string }[] {
  return names.flatMap((name) =>
    SUSPICIOUS.filter(([pattern]) => pattern.test(name)).map(([, why]) => ({ name, why })),
  );
}

export interface LastEvent {
  name: string;
  at: string;
  count: number;
}

/** The newest time of each name, and how many have the name; those that are silent for longest come first. */
export function lastEvents(seen: readonly { name: string; at: string }[]): LastEvent[] {
  const newest = new Map<string, LastEvent>();
  for (const { name, at } of seen) {
    const known = newest.get(name);
    newest.set(name, { name, at: known && known.at > at ? known.at : at, count: (known?.count ?? 0) + 1 });
  }
  return [...newest.values()].sort((one, other) => one.at.localeCompare(other.at));
}
