import java.lang.reflect.Method;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.Trigger;

/** Streams as a person might write them: into files, into what a function writes, and some that fail. */
public final class Streaming {
    private static String lake;

    public static void main(String[] arguments) throws Exception {
        lake = arguments[0];
        SparkSession spark = SparkSession.builder().getOrCreate();
        spark.range(5).selectExpr("id").write().parquet(lake + "/landed");
        Dataset<Row> landed = spark.readStream().schema("id LONG").parquet(lake + "/landed");
        run("files", landed.writeStream().option("path", lake + "/streamed"));
        run("named", landed.writeStream().queryName("Paid Orders").foreachBatch(to("paid")));
        run("unnamed", landed.writeStream().foreachBatch(to("copied")));
        VoidFunction2<Dataset<Row>, Long> failing = (rows, batch) -> {
            throw new IllegalStateException("boom");
        };
        run("writing", landed.writeStream().queryName("writing").foreachBatch((VoidFunction2<Dataset<Row>, Long>)
                (rows, batch) -> rows.selectExpr("if(id > 2, raise_error('bang'), id) AS b").write().parquet(lake + "/bang")));
        try {
            spark.sql("CREATE TABLE made USING parquet AS SELECT if(id > 2, raise_error('crash'), id) AS c FROM range(5)");
        } catch (Exception failure) {
            System.out.println(failure);
        }
        run("failing", landed.writeStream().queryName("failing").foreachBatch(failing));
        Method beat = Class.forName("headwater.spark.Own").getDeclaredMethod("beat"); // which comes after five minutes
        beat.setAccessible(true);
        beat.invoke(null);
        landed.writeStream().queryName("endless").format("noop")
                .option("checkpointLocation", lake + "/checkpoints/endless").start().processAllAvailable();
        Thread.sleep(Long.MAX_VALUE);
    }

    private static VoidFunction2<Dataset<Row>, Long> to(String name) {
        return (rows, batch) -> rows.write().mode("append").parquet(lake + "/" + name);
    }

    private static void run(String name, DataStreamWriter<Row> writer) throws Exception {
        try {
            writer.option("checkpointLocation", lake + "/checkpoints/" + name)
                    .trigger(Trigger.AvailableNow()).start().awaitTermination();
        } catch (Exception failure) {
            System.out.println(failure);
        }
    }
}
