import { expect, test } from "vitest";
import { calledShort, columnOf, contextOf, cuttable, oneLine, shortNames, splitNodeId } from "../src/text/names";

test("names are as short as tells them apart", () => {
  const short = shortNames(["/lake/raw/orders", "/lake/clean/orders", "/lake/revenue", "db.sales.orders_daily"]);
  expect(Object.fromEntries(short)).toEqual({
    "/lake/raw/orders": "raw/orders",
    "/lake/clean/orders": "clean/orders",
    "/lake/revenue": "revenue",
    "db.sales.orders_daily": "orders_daily",
  });
});

test("no two names have one short name, and each ends as its name does", () => {
  const names = ["a.b", "b", "x/a.b", "/b", "b/", "a/b", "", "..", "//"];
  const short = shortNames(names);
  expect(new Set(short.values()).size).toBe(names.length);
});

test.each([
  ["dataset:file:/data/x", "file", "/data/x"],
  ["dataset:s3://bucket:a:b", "s3://bucket", "a:b"],
  ["dataset:postgres://host:5432:db.public.t", "postgres://host:5432", "db.public.t"],
  ["dataset:postgres://[::1]:5432:t", "postgres://[::1]:5432", "t"],
  ["dataset:arn:aws:glue:us-east-1:123456789012:table/db/t", "arn:aws:glue:us-east-1:123456789012", "table/db/t"],
  ["job:prod:app.step\nwith a line", "prod", "app.step\nwith a line"],
])("%s is split into namespace and name", (nodeId, namespace, name) => {
  expect(splitNodeId(nodeId)).toMatchObject({ namespace, name });
});

test("a column's id is its dataset and its field", () => {
  expect(columnOf("datasetField:s3://b:t:price")).toEqual({ dataset: "dataset:s3://b:t", field: "price" });
});

test("what precedes a short name is its context", () => {
  expect(contextOf("/lake/raw/orders", "orders")).toBe("/lake/raw");
  expect(contextOf("db.t", "t")).toBe("db");
});

test("text of events neither breaks the line nor turns its direction", () => {
  expect(oneLine("a\nb\u202ec\u0000d")).toBe("a\ufffdb\ufffdc\ufffdd");
  expect(oneLine("\u061ca\u2066b\uffff\ud800 \u{1f986}")).toBe("\ufffda\ufffdb\ufffd\ufffd \u{1f986}");
});

test("a long name keeps both ends: tables of one schema differ at the end", () => {
  expect(cuttable("warehouse_layer_05_table_00050")).toEqual(["warehouse_layer_05_ta", "ble_00050"]);
  expect(cuttable("revenue_daily")).toEqual(["", "revenue_daily"]);
});

test("a table is called by its name in a catalogue", () => {
  expect(calledShort({ name: "x1", displayName: "mart.customer_ltv" })).toBe("mart.customer_ltv");
  expect(calledShort({ name: "warehouse/orders" })).toBe("orders");
  expect(contextOf("x1", "mart.customer_ltv")).toBe("x1");
});

test.each([
  [{ name: "/lake/a/orders", displayName: "shop.orders" }, "shop.orders"],
  [{ name: "invoices_daily", displayName: "Invoices of the day", parentJobName: null }, "Invoices of the day"],
  [{ name: "app.append_data.lake_x", displayName: "App.append_data.lake_x", parentJobName: "app" }, "lake_x"],
  [{ name: "shop.load" }, "load"],
])("%o is called %s", (node, called) => {
  expect(calledShort(node)).toBe(called);
});
