import java.nio.file.Files;
import java.nio.file.Paths;
import org.apache.spark.ml.Pipeline;
import org.apache.spark.ml.PipelineStage;
import org.apache.spark.ml.feature.VectorAssembler;
import org.apache.spark.ml.regression.DecisionTreeRegressor;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** An application that reads in a job of an RDD, behind a cache, and for the fit of a pipeline. */
public final class Fits {
    private static final String COLUMNS = "id LONG, cost DOUBLE, k LONG";

    public static void main(String[] arguments) throws Exception {
        String lake = arguments[0];
        SparkSession spark = SparkSession.builder().config("spark.sql.warehouse.dir", lake + "/tables").getOrCreate();
        Dataset<Row> rows = spark.range(0, 12, 1, 2).selectExpr("id", "id * 2.5D AS cost", "id % 3 AS k");
        rows.write().partitionBy("k").parquet(lake + "/looked");
        rows.write().parquet(lake + "/trained");
        rows.write().parquet(lake + "/kept");
        rows.write().saveAsTable("scores");
        String events = lake + "/events.jsonl";
        spark.read().schema(COLUMNS).parquet(lake + "/looked").javaRDD().foreach(row -> await(events));
        String[] parts = Files.list(Paths.get(lake, "kept")).map(String::valueOf).filter(each -> each.contains("/part-"))
                .toArray(String[]::new); // as a batch of a stream reads
        spark.read().schema(COLUMNS).parquet(parts).cache().write().parquet(lake + "/copy");
        VectorAssembler assembler = new VectorAssembler().setInputCols(new String[] {"cost", "k"}).setOutputCol("features");
        DecisionTreeRegressor tree = new DecisionTreeRegressor().setLabelCol("id").setMaxDepth(1);
        Dataset<Row> trained = spark.read().schema(COLUMNS).parquet(lake + "/trained").cache();
        new Pipeline().setStages(new PipelineStage[] {assembler, tree}).fit(trained).write().save(lake + "/models/p");
        spark.stop();
    }

    /** Until the listener tells of this job: of a job that is over before, it does not learn the RDD. */
    private static void await(String events) throws Exception {
        long deadline = System.nanoTime() + 60_000_000_000L;
        while (!new String(Files.readAllBytes(Paths.get(events))).contains("fits.map_partitions") && System.nanoTime() < deadline) {
            Thread.sleep(20);
        }
    }
}
