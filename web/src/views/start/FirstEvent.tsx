/** What an empty stack shows: how the first event gets here, with this address. */

import { Copy } from "../../parts/Name";

export function FirstEvent() {
  const url = new URL(".", document.baseURI).href.replace(/\/$/, "");
  const spark = [
    "spark-submit --packages io.openlineage:openlineage-spark_2.12:1.53.0 \\",
    "  --conf spark.extraListeners=io.openlineage.spark.agent.OpenLineageSparkListener \\",
    "  --conf spark.openlineage.transport.type=http \\",
    `  --conf spark.openlineage.transport.url=${url} \\`,
    "  --conf spark.openlineage.transport.endpoint=/api/v1/lineage \\",
    "  --conf spark.openlineage.transport.compression=gzip \\",
    "  --conf spark.openlineage.columnLineage.descriptionsEnabled=true \\",
    "  --conf spark.openlineage.namespace=prod \\",
    "  your_job.py",
  ].join("\n");
  const python = `export OPENLINEAGE_URL=${url}\nexport OPENLINEAGE_API_KEY=...   # a key with the scope ingest`;
  return (
    <>
      <div className="hero">
        <h1>Send the first event</h1>
        <p className="muted">
          Headwater is up and has no event yet. Add the listener to a Spark job, or two variables to Airflow or dbt.
        </p>
      </div>
      <div className="cards">
        <Snippet
          title="Spark"
          text={spark}
          note="_2.12 is for Spark 3.5 (EMR 7), _2.13 for Spark 4. The key belongs in openlineage.yml, where the Spark UI does not show it."
        />
        <Snippet
          title="Airflow, dbt, Python"
          text={python}
          note="Then run a job. The graph appears as soon as its first event is here."
        />
        <Snippet
          title="Or look around first"
          text={`headwater load --url ${url} tests/fixtures/spark-3.5/orders.jsonl`}
          note="Recorded events of a real Spark pipeline."
        />
      </div>
    </>
  );
}

function Snippet({ title, text, note }: { title: string; text: string; note: string }) {
  return (
    <div className="card">
      <div className="spread">
        <h2>{title}</h2>
        <Copy text={text} label={`Copy the settings for ${title}`} />
      </div>
      <pre tabIndex={0} aria-label={`Settings for ${title}`}>
        {text}
      </pre>
      <p className="muted">{note}</p>
    </div>
  );
}
