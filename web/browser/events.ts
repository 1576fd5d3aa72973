/** OpenLineage events for the tests: a run of a job, with tables, their columns and where each column comes from. */

import { randomUUID } from "node:crypto";

const PRODUCER = "https://example.org";
const SCHEMA = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/";
const NAMESPACE = "n";
const MINUTE_MS = 60_000;

export const facet = (members: object): object => ({ _producer: PRODUCER, _schemaURL: PRODUCER, ...members });

/** A table of the namespace `n`. `origins` has for a column the table and the column that it is a copy of. */
export function table(
  name: string,
  columns: readonly string[] = [],
  origins: Record<string, [string, string]> = {},
): object {
  const fields = Object.entries(origins).map(([column, [origin, field]]) => [
    column,
    {
      inputFields: [
        { namespace: NAMESPACE, name: origin, field, transformations: [{ type: "DIRECT", subtype: "IDENTITY" }] },
      ],
    },
  ]);
  return {
    namespace: NAMESPACE,
    name,
    facets: {
      ...(columns.length && { schema: facet({ fields: columns.map((column) => ({ name: column, type: "string" })) }) }),
      ...(fields.length && { columnLineage: facet({ fields: Object.fromEntries(fields) }) }),
    },
  };
}

/** A run of a job of the namespace `n` that completed. */
export function runEvent(job: string, inputs: object[], outputs: object[], at = new Date()): object {
  return {
    eventType: "COMPLETE",
    eventTime: at.toISOString(),
    producer: PRODUCER,
    schemaURL: `${SCHEMA}RunEvent`,
    run: { runId: randomUUID() },
    job: { namespace: NAMESPACE, name: job },
    inputs,
    outputs,
  };
}

/** The two events of a run of five minutes that wrote so many rows into a table. */
export function writingRun(job: string, from: string, to: string, begin: Date, rows: number): object[] {
  const written = {
    ...table(to, ["a"]),
    outputFacets: { outputStatistics: facet({ rowCount: rows, size: 90 * rows }) },
  };
  const started = { ...runEvent(job, [table(from)], [written], begin), eventType: "START" };
  return [started, { ...started, eventType: "COMPLETE", eventTime: new Date(+begin + 5 * MINUTE_MS).toISOString() }];
}

/** A dataset that no job reads or writes. */
export function datasetEvent(dataset: object): object {
  return { eventTime: new Date().toISOString(), producer: PRODUCER, schemaURL: `${SCHEMA}DatasetEvent`, dataset };
}
