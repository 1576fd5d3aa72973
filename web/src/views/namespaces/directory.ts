/** The groups of a directory of namespaces: by the beginning of their names, by environment, by owner. */

import type { Namespace } from "../../api/types";
import { grouped } from "../../text/grouped";

export const GROUPINGS = ["prefix", "environment", "owner"] as const;
export type NamespaceGrouping = (typeof GROUPINGS)[number];

/** What no group is known of comes last. */
export const UNKNOWN: Record<NamespaceGrouping, string> = {
  prefix: "other",
  environment: "no environment in the name",
  owner: "no owner",
};

const ENVIRONMENTS: Record<string, string> = {
  ...{ prod: "production", production: "production", prd: "production", live: "production" },
  ...{ stage: "staging", staging: "staging", stg: "staging", preprod: "staging", uat: "staging" },
  ...{ test: "test", testing: "test", tst: "test", qa: "test", ci: "test" },
  ...{ dev: "development", development: "development", sandbox: "development", local: "development" },
};

export function groupsOf(namespaces: readonly Namespace[], grouping: NamespaceGrouping): [string, Namespace[]][] {
  const groups = [...grouped(namespaces, (namespace) => groupOf(namespace, grouping) ?? UNKNOWN[grouping])];
  const rank = ([name]: [string, Namespace[]]): number => (name === UNKNOWN[grouping] ? 1 : 0);
  return groups.toSorted((one, other) => rank(one) - rank(other) || one[0].localeCompare(other[0]));
}

function groupOf({ name, ownerName }: Namespace, grouping: NamespaceGrouping): string | null {
  if (grouping === "owner") return ownerName === "anonymous" ? null : ownerName;
  return grouping === "prefix" ? prefixOf(name) : environmentOf(name);
}

/** The scheme of a storage (`s3`, `postgres`), or the first word of a name. */
export function prefixOf(name: string): string {
  return /^([\w+]+):\/\//.exec(name)?.[1] ?? /^[^\W_]+/.exec(name)?.[0] ?? name;
}

/** The environment that a word of the name tells: `s3://lake-prod` and `prod.sales` are of production. */
export function environmentOf(name: string): string | null {
  const word = name
    .toLowerCase()
    .split(/[^a-z]+/)
    .find((part) => Object.hasOwn(ENVIRONMENTS, part));
  return word ? ENVIRONMENTS[word]! : null;
}
