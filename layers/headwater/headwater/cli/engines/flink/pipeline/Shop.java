import java.util.Map;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;

/** The jobs of a shop: `Shop JOB BOOTSTRAP FOLDER`. FLINK_CONF_DIR has the settings of Flink and of the listener. */
public class Shop {
    static final Map<String, String> TABLES = Map.of(
        "clicks", "(order_id BIGINT, customer_id BIGINT, amount DOUBLE, status STRING) WITH ('connector' = 'datagen',"
            + " 'number-of-rows' = '200', 'fields.order_id.kind' = 'sequence', 'fields.order_id.start' = '1',"
            + " 'fields.order_id.end' = '200', 'fields.amount.min' = '1', 'fields.amount.max' = '90', 'fields.status.length' = '4')",
        "orders", "(order_id BIGINT, customer_id BIGINT, amount DOUBLE, status STRING) WITH ('connector' = 'kafka',"
            + " 'topic' = 'orders', 'properties.bootstrap.servers' = '%1$s', 'format' = 'json')",
        "paid_orders", "(order_id BIGINT, customer_id BIGINT, amount DOUBLE, status STRING) WITH ('connector' = 'kafka',"
            + " 'topic' = 'paid_orders', 'properties.bootstrap.servers' = '%1$s', 'format' = 'json',"
            + " 'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset')",
        "large_orders", "(order_id BIGINT, amount DOUBLE) WITH ('connector' = 'filesystem', 'path' = 'file://%2$s/large_orders',"
            + " 'format' = 'csv')");

    public static void main(String[] arguments) throws Exception {
        var settings = GlobalConfiguration.loadConfiguration(System.getenv("FLINK_CONF_DIR"));
        var flink = StreamExecutionEnvironment.getExecutionEnvironment(settings);
        flink.setParallelism(1);
        String bootstrap = arguments[1];
        switch (arguments[0]) {
            case "take_orders" -> insert(flink, "INSERT INTO orders SELECT * FROM clicks", arguments);
            case "keep_large_orders" ->
                insert(flink, "INSERT INTO large_orders SELECT order_id, amount FROM paid_orders WHERE amount > 50", arguments);
            case "clear_payments" -> clear(flink, source(bootstrap, "orders").setBounded(OffsetsInitializer.latest()).build(), bootstrap);
            case "clear_payments_always" -> clear(flink, source(bootstrap, "orders").build(), bootstrap);
            case "clear_payments_of_no_topic" -> clear(flink, source(bootstrap, "no_such_topic").build(), bootstrap);
            case "fail" -> {
                var broken = source(bootstrap, "orders").build();
                flink.fromSource(broken, WatermarkStrategy.noWatermarks(), "orders")
                    .map(order -> { if (order.contains("\"order_id\":7,")) throw new IllegalStateException("order 7 has no price"); return order; })
                    .sinkTo(sink(bootstrap, "paid_orders"));
                flink.execute("clear_payments");
            }
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    static void insert(StreamExecutionEnvironment flink, String statement, String[] arguments) throws Exception {
        var tables = StreamTableEnvironment.create(flink);
        TABLES.forEach((name, columns) ->
            tables.executeSql("CREATE TABLE " + name + " " + String.format(columns, arguments[1], arguments[2])));
        tables.executeSql(statement).await();
    }

    static void clear(StreamExecutionEnvironment flink, KafkaSource<String> orders, String bootstrap) throws Exception {
        flink.fromSource(orders, WatermarkStrategy.noWatermarks(), "orders")
            .filter(order -> !order.contains("\"amount\":1."))
            .sinkTo(sink(bootstrap, "paid_orders"));
        flink.execute("clear_payments");
    }

    static org.apache.flink.connector.kafka.source.KafkaSourceBuilder<String> source(String bootstrap, String topic) {
        return KafkaSource.<String>builder().setBootstrapServers(bootstrap).setTopics(topic).setGroupId("clear_payments")
            .setStartingOffsets(OffsetsInitializer.earliest()).setValueOnlyDeserializer(new SimpleStringSchema());
    }

    static KafkaSink<String> sink(String bootstrap, String topic) {
        return KafkaSink.<String>builder().setBootstrapServers(bootstrap).setRecordSerializer(
            KafkaRecordSerializationSchema.builder().setTopic(topic).setValueSerializationSchema(new SimpleStringSchema()).build()).build();
    }
}
