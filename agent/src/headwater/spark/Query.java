package headwater.spark;

import io.openlineage.spark.api.OpenLineageContext;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/** A query, or a job of an RDD: its run by the listener, and what its tasks took. Times are milliseconds. */
final class Query {
    private static final int MOST_STAGES = 50;

    final long execution;
    String description = "";
    boolean isOpen;
    boolean isAborted;
    OpenLineageContext context;

    private final Map<Integer, Stage> stages = new TreeMap<>();
    private long tasks;
    private long failedTasks;
    private long executorMillis;
    private long bytesRead;
    private long bytesShuffled;
    private long bytesSpilled;
    private long peakMemory;

    Query(long execution) {
        this.execution = execution;
    }

    void task(SparkListenerTaskEnd event) {
        tasks++;
        failedTasks += event.taskInfo().successful() ? 0 : 1;
        TaskMetrics metrics = event.taskMetrics();
        if (metrics == null) {
            return;
        }
        long read = metrics.inputMetrics().bytesRead();
        long shuffled = metrics.shuffleReadMetrics().totalBytesRead();
        executorMillis += metrics.executorRunTime();
        bytesRead += read;
        bytesShuffled += shuffled;
        bytesSpilled += metrics.diskBytesSpilled();
        peakMemory = Math.max(peakMemory, metrics.peakExecutionMemory());
        if (stages.containsKey(event.stageId()) || stages.size() < MOST_STAGES) {
            stages.computeIfAbsent(event.stageId(), Stage::new).task(event.taskInfo().duration(), read + shuffled);
        }
    }

    /** What the tasks took, with the stages by their numbers; empty if there were no tasks. */
    Map<String, Object> runtime() {
        Map<String, Object> runtime = new LinkedHashMap<>();
        if (tasks == 0) {
            return runtime;
        }
        runtime.put("executorSeconds", executorMillis / 1000.0);
        runtime.put("bytesRead", bytesRead);
        runtime.put("bytesShuffled", bytesShuffled);
        runtime.put("bytesSpilled", bytesSpilled);
        runtime.put("peakMemoryBytes", peakMemory);
        runtime.put("tasks", tasks);
        runtime.put("failedTasks", failedTasks);
        runtime.put("stages", stages.values().stream().map(Stage::facet).toArray());
        return runtime;
    }
}
