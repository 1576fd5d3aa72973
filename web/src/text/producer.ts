/** Producers whose address ends with something else than their name. */
const NAMES: [RegExp, string][] = [
  [/\/apache\/airflow\//, "airflow"],
  [/\/prestodb\/presto\//, "presto"],
  [/\/trinodb\/trino\//, "trino"],
];

/** The integration in a producer's address: `spark` of `.../integration/spark`. */
export function producerOf(producer: string | null): string {
  if (producer === null) return "";
  const known = NAMES.find(([address]) => address.test(producer));
  return known?.[1] ?? producer.replace(/\/+$/, "").split("/").at(-1) ?? "";
}
