import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.Trigger;

/** Queries and a stream, which go well whatever becomes of the jar. */
public final class Broken {
    public static void main(String[] arguments) throws Exception {
        String lake = arguments[0];
        SparkSession spark = SparkSession.builder().getOrCreate();
        spark.range(5).selectExpr("id").write().parquet(lake + "/raw");
        VoidFunction2<Dataset<Row>, Long> copy = (rows, batch) -> rows.write().mode("append").parquet(lake + "/copied");
        spark.readStream().schema("id LONG").parquet(lake + "/raw").writeStream().foreachBatch(copy)
                .option("checkpointLocation", lake + "/checkpoint").trigger(Trigger.AvailableNow()).start().awaitTermination();
        spark.read().parquet(lake + "/raw").selectExpr("id", "1 AS one").write().parquet(lake + "/made");
        spark.stop();
    }
}
