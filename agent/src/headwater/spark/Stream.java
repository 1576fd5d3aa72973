package headwater.spark;

import io.openlineage.client.OpenLineage;
import io.openlineage.client.utils.DatasetIdentifier;
import io.openlineage.spark.agent.util.PathUtils;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.streaming.SourceProgress;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import scala.Option;
import scala.Tuple2;

/** A streaming query that runs: what it reads and writes, as far as its sources, its sink and its batches tell. */
final class Stream {
    private static final Pattern FILES = Pattern.compile("File(?:StreamSource|Sink)\\[(.*)]");
    private static final Pattern TOPIC = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\":\\{");
    private static final int MOST = 100; // datasets on each side

    final UUID run;
    final FailedPart failedPart = new FailedPart();
    long sentAt;

    private final String called;
    private final Object execution;
    private final Object sink;
    private final Set<DatasetIdentifier> reads = new LinkedHashSet<>();
    private final Set<DatasetIdentifier> writes = new LinkedHashSet<>();
    private long batches;
    private long rows;
    private long lag = -1;

    /** Called when the query has begun; `name` is null if the program gave it none. */
    Stream(UUID id, UUID run, String name) {
        this.run = run;
        this.called = name;
        Option<SparkSession> session = SparkSession.getDefaultSession();
        Object query = session.isDefined() ? session.get().streams().get(id) : null;
        this.execution = Scala.get(query, "streamingQuery");
        this.sink = Scala.get(execution, "sink");
        if (sink != null) {
            add(writes, written(sink));
        }
    }

    /** The name that the program gave the query, else that of its sink: `orders` for files, `foreach_batch`. */
    String name() {
        if (called != null) {
            return plain(called);
        }
        if (sink == null) {
            return "stream";
        }
        DatasetIdentifier files = written(sink);
        String kind = sink.getClass().getSimpleName().replaceFirst("(Sink|Table)\\W*$", "");
        return plain(files == null ? kind : files.getName().substring(files.getName().lastIndexOf('/') + 1));
    }

    private static DatasetIdentifier written(Object sink) {
        DatasetIdentifier files = ofFiles(String.valueOf(sink));
        return files == null ? ofTable(sink) : files;
    }

    /** As the listener writes names: foreach_batch for `ForeachBatch`. */
    static String plain(String name) {
        String words = name.replaceAll("(?<=[a-z0-9])(?=[A-Z])", "_");
        return words.replaceAll("[^\\p{L}\\p{M}\\p{N}]+", "_").replaceAll("^_|_$", "").toLowerCase(Locale.ROOT);
    }

    void progress(StreamingQueryProgress progress) {
        if (writes.isEmpty()) {
            topicOfSink();
        }
        batches = Math.max(batches, progress.batchId() + 1);
        rows += progress.numInputRows();
        List<Object> sources = Scala.list(execution, "sources");
        for (int i = 0; i < progress.sources().length; i++) {
            SourceProgress source = progress.sources()[i];
            add(reads, ofFiles(source.description()));
            if (i < sources.size()) {
                topics(sources.get(i), source.endOffset());
            }
            String behind = source.metrics().get("maxOffsetsBehindLatest");
            lag = behind == null ? lag : Long.parseLong(behind);
        }
    }

    /** What a query inside a batch writes: that of a foreachBatch. */
    void wrote(LogicalPlan command) {
        Object path = Scala.get(command, "outputPath");
        if (path instanceof Path) {
            add(writes, PathUtils.fromPath((Path) path));
        }
        Object relation = Scala.get(command, "table");
        add(writes, ofTable(Scala.get(relation, "table")));
    }

    Map<String, Object> progress() {
        Map<String, Object> progress = new LinkedHashMap<>();
        progress.put("batches", batches);
        progress.put("rows", rows);
        if (lag >= 0) {
            progress.put("lag", lag);
        }
        return progress;
    }

    List<OpenLineage.InputDataset> inputs() {
        List<OpenLineage.InputDataset> inputs = new ArrayList<>();
        reads.forEach(each -> inputs.add(Own.OPEN_LINEAGE
                .newInputDatasetBuilder()
                .namespace(each.getNamespace())
                .name(each.getName())
                .build()));
        return inputs;
    }

    List<OpenLineage.OutputDataset> outputs() {
        List<OpenLineage.OutputDataset> outputs = new ArrayList<>();
        writes.forEach(each -> outputs.add(Own.OPEN_LINEAGE
                .newOutputDatasetBuilder()
                .namespace(each.getNamespace())
                .name(each.getName())
                .build()));
        return outputs;
    }

    private static void add(Set<DatasetIdentifier> datasets, DatasetIdentifier dataset) {
        if (dataset != null && datasets.size() < MOST) {
            datasets.add(new DatasetIdentifier(dataset.getName(), dataset.getNamespace()));
        }
    }

    private static DatasetIdentifier ofFiles(String description) {
        Matcher files = FILES.matcher(description);
        return files.matches() ? PathUtils.fromPath(new Path(files.group(1))) : null;
    }

    /** A table of Iceberg, by its location. */
    static DatasetIdentifier ofTable(Object table) {
        Object location = Scala.get(Scala.get(table, "table"), "location");
        return location instanceof String ? PathUtils.fromPath(new Path((String) location)) : null;
    }

    /** The topics of a source of Kafka: the names in its offset, `{"orders":{"0":25}}`, at the first of its servers. */
    private void topics(Object source, String offset) {
        Object settings = field(source, "executorKafkaParams");
        Object servers = settings instanceof Map ? ((Map<?, ?>) settings).get("bootstrap.servers") : null;
        if (servers == null || offset == null) {
            return;
        }
        for (Matcher topic = TOPIC.matcher(offset); topic.find(); ) {
            add(reads, ofTopic(topic.group(1), servers));
        }
    }

    /** The topic of a sink of Kafka, an option in the plan of a stream that has run. Topics in the rows are not seen. */
    private void topicOfSink() {
        Object topic = null;
        Object servers = null;
        for (Object each : Scala.list(Scala.get(execution, "logicalPlan"), "writeOptions")) {
            Tuple2<?, ?> option = (Tuple2<?, ?>) each;
            topic = "topic".equals(option._1()) ? option._2() : topic;
            servers = "kafka.bootstrap.servers".equals(option._1()) ? option._2() : servers;
        }
        if (topic != null && servers != null) {
            add(writes, ofTopic(String.valueOf(topic), servers));
        }
    }

    private static DatasetIdentifier ofTopic(String topic, Object servers) {
        return new DatasetIdentifier(topic, "kafka://" + String.valueOf(servers).split("[,;]")[0].trim());
    }

    private static Object field(Object object, String name) {
        try {
            Field field = object.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field.get(object);
        } catch (ReflectiveOperationException | RuntimeException absent) {
            return null;
        }
    }
}
