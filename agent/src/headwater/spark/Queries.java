package headwater.spark;

import io.openlineage.spark.api.OpenLineageContext;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import org.apache.hadoop.util.ShutdownHookManager;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.JobFailed;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerApplicationStart;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.execution.ui.SparkListenerSQLAdaptiveExecutionUpdate;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart;
import org.apache.spark.util.SignalUtils;

/**
 * The queries of this application, as Spark's own events tell of them, and the runs that OpenLineage's listener gives
 * them. A listener with a circuit breaker builds its events in its own threads, so after Spark's.
 */
final class Queries extends SparkListener {
    private static final String EXECUTION = "spark.sql.execution.id";
    private static final int MOST = 1_000;
    private static final int BEFORE_SPARK = 100;
    static final long NONE = -1;

    private static final Map<Long, Query> QUERIES = atMost();
    private static final Map<Integer, Query> JOBS = atMost();
    private static final Map<Integer, Query> STAGES = atMost();
    private static Query all = new Query(NONE);
    private static SparkContext watched;
    private static volatile OpenLineageContext application;
    private static volatile boolean isOver;
    private static volatile boolean isTerminated;

    private Queries() {}

    /** Begins to listen to an application, once. */
    static synchronized void watch(OpenLineageContext context) {
        SparkContext spark = context.getSparkContext().orElse(null);
        if (spark == null || spark == watched) {
            return;
        }
        if (watched == null) {
            ShutdownHookManager.get().addShutdownHook(() -> Agent.guard(Queries::abort), BEFORE_SPARK);
            Agent.guard(Queries::noticeTerm);
        }
        QUERIES.clear();
        JOBS.clear();
        STAGES.clear();
        Models.clear();
        all = new Query(NONE);
        isOver = false;
        watched = spark;
        spark.addSparkListener(new Queries());
        Heartbeat.start();
    }

    /** Learns the run of a query by an event that the listener is about to send, and answers what its tasks took. */
    static synchronized Map<String, Object> seen(SparkListenerEvent event, OpenLineageContext context) {
        if (event instanceof SparkListenerApplicationStart) {
            application = context;
        }
        if (event instanceof SparkListenerApplicationEnd) {
            return all.totals();
        }
        Query query = queryOf(event);
        if (query == null) {
            return Collections.emptyMap();
        }
        query.runOf(context);
        if (event instanceof SparkListenerJobStart && query.execution == NONE) {
            Agent.guard(() -> Models.read(watched, ((SparkListenerJobStart) event).jobId()));
        }
        if (event instanceof SparkListenerSQLExecutionEnd) {
            Streams.ended(query.description, context);
            Agent.guard(() -> context.getOptimizedPlanOptional().ifPresent(Models::read));
        }
        boolean isEnd = event instanceof SparkListenerSQLExecutionEnd
                || (event instanceof SparkListenerJobEnd
                        && (query.execution == NONE || ((SparkListenerJobEnd) event).jobResult() instanceof JobFailed));
        return isEnd ? query.runtime() : Collections.emptyMap();
    }

    static OpenLineageContext application() {
        return application;
    }

    static synchronized Map<String, Object> runtime(Query query) {
        return query.runtime();
    }

    static synchronized void finish(Query query) {
        query.finish();
    }

    private static Query queryOf(SparkListenerEvent event) {
        if (event instanceof SparkListenerSQLExecutionStart) {
            return query(((SparkListenerSQLExecutionStart) event).executionId());
        }
        if (event instanceof SparkListenerSQLExecutionEnd) {
            return query(((SparkListenerSQLExecutionEnd) event).executionId());
        }
        if (event instanceof SparkListenerJobStart) {
            return job((SparkListenerJobStart) event);
        }
        return event instanceof SparkListenerJobEnd ? JOBS.get(((SparkListenerJobEnd) event).jobId()) : null;
    }

    private static Query query(long execution) {
        return QUERIES.computeIfAbsent(execution, Query::new);
    }

    private static Query job(SparkListenerJobStart event) {
        Properties properties = event.properties();
        String execution = properties == null ? null : properties.getProperty(EXECUTION);
        Query query = execution == null
                ? JOBS.computeIfAbsent(event.jobId(), job -> new Query(NONE))
                : query(Long.parseLong(execution));
        query.hasJobs = true;
        JOBS.put(event.jobId(), query);
        for (Object stage : Scala.list(event, "stageIds")) {
            STAGES.put((Integer) stage, query);
        }
        return query;
    }

    @Override
    public void onJobStart(SparkListenerJobStart event) {
        Agent.guard(() -> {
            synchronized (Queries.class) {
                job(event);
            }
        });
    }

    @Override
    public void onJobEnd(SparkListenerJobEnd event) {
        Agent.guard(() -> {
            synchronized (Queries.class) {
                Query query = JOBS.get(event.jobId());
                if (query != null && query.execution == NONE) {
                    query.finish();
                }
            }
        });
    }

    @Override
    public void onTaskEnd(SparkListenerTaskEnd event) {
        Agent.guard(() -> {
            synchronized (Queries.class) {
                all.task(event);
                Query query = STAGES.get(event.stageId());
                if (query != null) {
                    query.task(event);
                }
            }
        });
    }

    @Override
    public void onStageCompleted(SparkListenerStageCompleted event) {
        Agent.guard(() -> {
            synchronized (Queries.class) {
                Query query = STAGES.get(event.stageInfo().stageId());
                if (query != null) {
                    query.stage(event.stageInfo());
                }
            }
        });
    }

    @Override
    public void onOtherEvent(SparkListenerEvent event) {
        if (event instanceof SparkListenerSQLExecutionStart) {
            Agent.guard(() -> started((SparkListenerSQLExecutionStart) event));
        } else if (event instanceof SparkListenerSQLExecutionEnd) {
            Agent.guard(() -> ended((SparkListenerSQLExecutionEnd) event));
        } else if (event instanceof SparkListenerSQLAdaptiveExecutionUpdate) {
            Agent.guard(() -> planned((SparkListenerSQLAdaptiveExecutionUpdate) event));
        } else {
            Agent.guard(() -> Streams.event(event));
            Agent.guard(() -> Models.event(event));
        }
    }

    private static synchronized void started(SparkListenerSQLExecutionStart event) {
        Query query = query(event.executionId());
        query.description = event.description();
        String root = Scala.text(event, "rootExecutionId");
        boolean isPart = !root.isEmpty() && Long.parseLong(root) != query.execution;
        query.whole = isPart ? QUERIES.get(Long.parseLong(root)) : null;
        query.isOpen = true;
        query.plan(event.sparkPlanInfo());
    }

    private static synchronized void planned(SparkListenerSQLAdaptiveExecutionUpdate event) {
        query(event.executionId()).plan(event.sparkPlanInfo());
    }

    private static synchronized void ended(SparkListenerSQLExecutionEnd event) {
        Query query = query(event.executionId());
        query.isOpen = false;
        String message = Scala.text(event, "errorMessage");
        if (message.isEmpty()) {
            query.finish();
        } else {
            query.told = toldBy(query, message);
            UUID inner = query.failedPart.of(message);
            if (inner != null && query.whole == null) {
                Streams.failedPart(query).set(inner, message);
            } else if (query.whole != null && (inner != null || query.context != null)) {
                query.whole.failedPart.set(inner == null ? query.context.getRunUuid() : inner, message);
            }
            Own.fail(query, message, event.time(), query.told);
        }
    }

    /**
     * The run whose failure is told for that of a query, else null. Of queries that fail together one deserves an alert: the
     * part of a CREATE TABLE AS, or of a batch, that writes; if no part failed, the stream of a batch.
     */
    static synchronized UUID toldBy(SparkListenerSQLExecutionEnd event, String message) {
        return toldBy(query(event.executionId()), message);
    }

    /** The error of a query, or of one of its jobs, that failed. */
    static synchronized String explained(SparkListenerEvent event, String error) {
        Query query = queryOf(event);
        return query == null ? error : query.explained(error);
    }

    /** The run of a query for which ABORT was sent; null if it was not. */
    static synchronized UUID abortedRun(SparkListenerSQLExecutionEnd event) {
        Query query = query(event.executionId());
        return query.isAborted && query.context != null ? query.context.getRunUuid() : null;
    }

    private static UUID toldBy(Query query, String message) {
        UUID part = query.told == null ? query.failedPart.of(message) : query.told;
        return part == null && query.whole == null ? Streams.runOf(query) : part;
    }

    @Override
    public void onApplicationEnd(SparkListenerApplicationEnd event) {
        isOver = true;
        Heartbeat.stop();
        Agent.guard(Streams::abort);
        Agent.guard(Own::flush);
    }

    /** Notices SIGTERM, and leaves what it does to those who handled it before. Windows has none. */
    private static void noticeTerm() {
        SignalUtils.register("TERM", () -> {
            isTerminated = true;
            return false;
        });
    }

    /** The JVM ends, by SIGTERM or because the program is over, before Spark itself stops. */
    private static void abort() {
        List<Query> open = new ArrayList<>();
        synchronized (Queries.class) {
            for (Query query : QUERIES.values()) {
                if (query.isOpen && query.context != null) {
                    query.isOpen = false;
                    open.add(query);
                }
            }
        }
        open.forEach(Own::abort);
        Streams.abort();
        if (isTerminated && !isOver) {
            Own.abort();
        }
        Own.flush();
    }

    private static <K> Map<K, Query> atMost() {
        return new LinkedHashMap<K, Query>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<K, Query> eldest) {
                return size() > MOST;
            }
        };
    }
}
