package headwater.spark;

import io.openlineage.client.OpenLineage;
import io.openlineage.spark.api.CustomFacetBuilder;
import io.openlineage.spark.api.OpenLineageContext;
import java.util.Collections;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiConsumer;
import org.apache.spark.scheduler.JobFailed;
import org.apache.spark.scheduler.SparkListenerApplicationStart;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;

/**
 * The run facets headwater_runtime, headwater_failed, headwater_heartbeat and headwater_agent. The listener calls this for
 * each event, and by this tells which run has which query.
 */
final class RunFacets extends CustomFacetBuilder<Object, OpenLineage.RunFacet> {
    private final OpenLineageContext context;

    RunFacets(OpenLineageContext context) {
        this.context = context;
        Agent.guard(() -> Queries.watch(context)); // the facet of a fault is this class's, too
    }

    @Override
    public boolean isDefinedAt(Object event) {
        return event instanceof SparkListenerEvent;
    }

    @Override
    protected void build(Object event, BiConsumer<String, ? super OpenLineage.RunFacet> facets) {
        Agent.guard(() -> {
            Map<String, Object> runtime = Queries.seen((SparkListenerEvent) event, context);
            if (!runtime.isEmpty()) {
                facets.accept("headwater_runtime", facet(runtime));
            }
        });
        if (event instanceof SparkListenerApplicationStart) {
            Agent.guard(() -> facets.accept("headwater_heartbeat", heartbeat()));
            Agent.guard(() -> context.getSparkContext().ifPresent(spark -> JobRun.tell(spark, facets)));
        }
        if (event instanceof SparkListenerJobEnd) {
            Agent.guard(() -> ended((SparkListenerJobEnd) event, facets));
        }
        if (event instanceof SparkListenerSQLExecutionEnd) {
            Agent.guard(() -> ended((SparkListenerSQLExecutionEnd) event, facets));
        }
        if (Agent.fault() != null) {
            Map<String, Object> fault = Collections.singletonMap("fault", Agent.fault());
            Agent.guard(() -> facets.accept("headwater_agent", facet(fault)));
        }
    }

    /** A job that failed, of which the listener tells before its query ends. */
    private static void ended(SparkListenerJobEnd event, BiConsumer<String, ? super OpenLineage.RunFacet> facets) {
        if (event.jobResult() instanceof JobFailed) {
            String error = String.valueOf(((JobFailed) event.jobResult()).exception().getMessage());
            facets.accept("errorMessage", Own.error(Queries.explained(event, error)));
        }
    }

    /** A query that failed, or that was aborted: of one that ends after its ABORT, the listener may make a second run. */
    private static void ended(SparkListenerSQLExecutionEnd event, BiConsumer<String, ? super OpenLineage.RunFacet> facets) {
        String error = Scala.text(event, "errorMessage");
        UUID aborted = Queries.abortedRun(event);
        if (!error.isEmpty()) {
            facets.accept("errorMessage", Own.error(Queries.explained(event, error)));
        }
        if (!error.isEmpty() || aborted != null) {
            facets.accept("headwater_failed", failed(aborted == null ? Queries.toldBy(event, error) : aborted));
        }
    }

    /** That a run failed, and in which run its failure is told; null if it is its own. */
    static OpenLineage.RunFacet failed(UUID told) {
        OpenLineage.RunFacet facet = facet(Collections.singletonMap("failed", true));
        if (told != null) {
            facet.getAdditionalProperties().put("toldBy", told);
        }
        return facet;
    }

    /** That the application is heard of every few minutes until it ends. */
    static OpenLineage.RunFacet heartbeat() {
        return facet(Collections.singletonMap("everySeconds", Heartbeat.MILLIS / 1_000));
    }

    static OpenLineage.RunFacet facet(Map<String, Object> members) {
        OpenLineage.RunFacet facet = Own.OPEN_LINEAGE.newRunFacet();
        facet.getAdditionalProperties().putAll(members);
        return facet;
    }
}
