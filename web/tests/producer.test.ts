import { expect, test } from "vitest";

import { producerOf } from "../src/text/producer";

test.each([
  ["https://github.com/OpenLineage/OpenLineage/tree/1.53.0/integration/spark", "spark"],
  ["https://github.com/apache/airflow/tree/providers-openlineage/2.20.3", "airflow"],
  ["https://github.com/prestodb/presto/plugin/presto-openlineage-event-listener", "presto"],
  ["https://github.com/trinodb/trino/plugin/trino-openlineage", "trino"],
  ["https://example.com/loader/", "loader"],
  [null, ""],
])("the integration in a producer's address %s is %s", (producer, integration) => {
  expect(producerOf(producer)).toBe(integration);
});
