import java.util.Collections;
import java.util.concurrent.Callable;
import org.apache.spark.api.java.function.FilterFunction;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.api.java.function.MapGroupsFunction;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** What a person might write: constants, opaque steps, and queries that fail. */
public final class Programs {
    private static String lake;

    public static void main(String[] arguments) throws Exception {
        lake = arguments[0];
        SparkSession spark = SparkSession.builder().getOrCreate();
        write("raw", () -> spark.range(6).selectExpr(
                "id", "id * 2 AS cost", "concat('n', id) AS name", "id % 3 AS k"));
        Dataset<Row> raw = spark.read().parquet(lake + "/raw");
        raw.createOrReplaceTempView("raw");
        String boom = "if(name > 'a', raise_error('boom'), name) AS b";
        write("made", () -> spark.sql("SELECT id, 1 AS one, uuid() AS u, upper(name) AS upper FROM raw"));
        write("totalled", () -> raw.groupBy("k").count());
        write("piped", () -> spark.sql(
                "SELECT TRANSFORM(id, cost) USING 'cat' AS (a STRING, b STRING) FROM raw WHERE k > 0"));
        write("mapped", () -> raw.map((MapFunction<Row, String>) row -> row.getString(2), Encoders.STRING()));
        write("parts", () -> raw.mapPartitions(
                (MapPartitionsFunction<Row, String>) rows -> Collections.singleton("x").iterator(), Encoders.STRING()));
        write("grouped", () -> raw.groupByKey((MapFunction<Row, Long>) row -> row.getLong(3), Encoders.LONG())
                .mapGroups((MapGroupsFunction<Long, Row, String>) (key, rows) -> "x", Encoders.STRING()));
        write("kept", () -> raw.filter((FilterFunction<Row>) row -> row.getLong(0) > 1));
        write("copied", () -> spark.createDataFrame(raw.javaRDD(), raw.schema()));
        write("late", () -> spark.sql("SELECT k, " + boom + " FROM (SELECT k, max(name) AS name FROM raw GROUP BY k)"));
        write("first", () -> raw.selectExpr(boom));
        attempt(() -> raw.selectExpr(boom).collect());
        spark.stop();
    }

    private static void write(String name, Callable<Dataset<?>> make) {
        attempt(() -> {
            make.call().write().parquet(lake + "/" + name);
            return null;
        });
    }

    private static void attempt(Callable<?> work) {
        try {
            work.call();
        } catch (Exception failure) {
            System.out.println(failure);
        }
    }
}
