package headwater.spark;

import io.openlineage.spark.api.OpenLineageContext;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.StageInfo;

/** A query, a job of an RDD, or all of an application: its run by the listener, and what its tasks took, in milliseconds. */
final class Query {
    private static final int MOST_STAGES = 50;
    private static final Pattern OUT_OF_MEMORY = Pattern.compile("(?<![\\w.])[\\w.]*OutOfMemoryError: [^\n]{1,100}");
    private static final Pattern LOST = Pattern.compile("in stage (\\d{1,9})\\.\\d+ [^\n]{1,300}?: ExecutorLostFailure");
    private static final Pattern CALL_SITE = Pattern.compile("(\\w{1,40}) at ");

    final long execution;
    String description = "";
    boolean hasJobs;
    boolean isOpen;
    /** The query that this one is a part of: a CREATE TABLE AS, a batch of a stream. Null if there is none. */
    Query whole;
    final FailedPart failedPart = new FailedPart();
    /** The run whose failure is told for that of this query, once it has failed. */
    UUID told;
    volatile boolean isAborted;
    volatile OpenLineageContext context;

    private Map<String, Object> result;
    private final Map<Integer, Stage> stages = new TreeMap<>();
    private final Operations operations = new Operations();
    private long tasks;
    private long failedTasks;
    private long executorMillis;
    private long bytesRead;
    private long bytesShuffled;
    private long bytesSpilled;
    private long peakMemory;
    private final Map<Integer, String> memory = new TreeMap<>(); // by stage, what a task said that ran out of it

    Query(long execution) {
        this.execution = execution;
    }

    /** The first run that the listener gives an open query. A query that was cut off may get a second one. */
    void runOf(OpenLineageContext run) {
        if (context == null && result == null && execution != Queries.NONE) {
            context = run;
        }
    }

    /** Nothing more comes of the query: keeps what its tasks took, and lets go of its plan. */
    void finish() {
        result = runtime();
        stages.clear();
        operations.clear();
        context = null;
    }

    void task(SparkListenerTaskEnd event) {
        if (result != null) {
            return;
        }
        tasks++;
        boolean isGood = event.taskInfo().successful();
        failedTasks += isGood ? 0 : 1;
        if (!isGood && memory.size() < MOST_STAGES) {
            Matcher found = OUT_OF_MEMORY.matcher(Own.start(String.valueOf(Scala.get(event.reason(), "toErrorString"))));
            if (found.find()) {
                memory.putIfAbsent(event.stageId(), found.group());
            }
        }
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
            Stage stage = stages.computeIfAbsent(event.stageId(), Stage::new);
            stage.task(event.taskInfo().index(), event.taskInfo().duration(), read + shuffled, isGood);
        }
    }

    /** Learns the plan of an open query, or that its rest is planned anew. */
    void plan(Object info) {
        if (result == null) {
            operations.plan(info);
        }
    }

    void stage(StageInfo info) {
        Stage stage = stages.get(info.stageId());
        if (stage != null) {
            stage.does(operations.of(info));
        }
    }

    /**
     * The error of the query, with what ran out of memory in the stage that it names: the executor ends by that, and the
     * next attempt, by which Spark explains the failure, says no more than `exited with code 50`.
     */
    String explained(String error) {
        Matcher stage = LOST.matcher(error);
        String ended = stage.find() ? memory.get(Integer.parseInt(stage.group(1))) : null;
        if (ended == null) {
            return error;
        }
        String[] lines = error.split("\n", 2);
        return lines[0] + "\nAn earlier attempt failed: " + ended + (lines.length > 1 ? "\n" + lines[1] : "");
    }

    /** `collect` of the description `collect at report.py:12`; `query` of one that the program gave itself. */
    String action() {
        Matcher callSite = CALL_SITE.matcher(description);
        return callSite.lookingAt() ? callSite.group(1) : "query";
    }

    /** What the tasks took, with the stages by their numbers; empty if there were no tasks. */
    Map<String, Object> runtime() {
        if (result != null) {
            return result;
        }
        Map<String, Object> runtime = totals();
        if (!runtime.isEmpty()) {
            runtime.put("stages", stages.values().stream().map(Stage::facet).toArray());
        }
        return runtime;
    }

    Map<String, Object> totals() {
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
        return runtime;
    }
}
