import { expect, test } from "vitest";
import type { Namespace } from "../src/api/types";
import { environmentOf, groupsOf, prefixOf } from "../src/views/namespaces/directory";

const named = (name: string, ownerName = "anonymous"): Namespace =>
  ({ name, ownerName, createdAt: "", description: null, isHidden: false }) as Namespace;

test("the scheme of a storage, or the first word, is the prefix of a namespace", () => {
  expect(["s3://lake", "postgres://db:5432", "prod-sales", "crm.eu", "://"].map(prefixOf)).toEqual([
    "s3",
    "postgres",
    "prod",
    "crm",
    "://",
  ]);
});

test("a word of the name tells the environment, a part of a word does not", () => {
  expect(["s3://lake-prod", "DEV.sales", "uat_eu", "products", "constructor"].map(environmentOf)).toEqual([
    "production",
    "development",
    "staging",
    null,
    null,
  ]);
});

test("groups are sorted by name, and what has none comes last", () => {
  const groups = groupsOf([named("a"), named("b", "sales"), named("c", "legal"), named("d", "sales")], "owner");
  expect(groups.map(([name, members]) => `${name} ${members.length}`)).toEqual(["legal 1", "sales 2", "no owner 1"]);
});
