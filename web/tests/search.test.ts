import { expect, test } from "vitest";
import { partsOfColumn } from "../src/views/search/columns";

test.each([
  ["orders price", { table: "orders", column: "price" }],
  ["orders.unit_price", { table: "orders", column: "unit_price" }],
  ["db.sales.orders price", { table: "db.sales.orders", column: "price" }],
  ["orders", null],
  ["orders.", null],
  [" . ", null],
])("%s", (text, parts) => {
  expect(partsOfColumn(text)).toEqual(parts);
});
