import org.apache.spark.TaskContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;

/** A query whose first attempt runs out of memory, and whose others die with their executor. */
public final class Memory {
    public static void main(String[] arguments) throws Exception {
        SparkSession spark = SparkSession.builder()
                .master("local-cluster[1,1,512]")
                .config("spark.executor.memory", "512m")
                .config("spark.executor.extraClassPath", System.getProperty("java.class.path"))
                .config("spark.task.maxFailures", 2)
                .getOrCreate();
        UDF1<Long, Long> big = id -> {
            if (TaskContext.get().attemptNumber() > 0) {
                Runtime.getRuntime().halt(50);
            }
            throw new OutOfMemoryError("Java heap space");
        };
        spark.udf().register("big", big, DataTypes.LongType);
        try {
            spark.range(0, 1, 1, 1).selectExpr("big(id) AS id").write().parquet(arguments[0] + "/big");
        } finally {
            spark.stop();
        }
    }
}
