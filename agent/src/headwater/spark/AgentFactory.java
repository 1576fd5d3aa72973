package headwater.spark;

import io.openlineage.client.OpenLineage;
import io.openlineage.spark.agent.lifecycle.plan.column.ColumnLevelLineageVisitor;
import io.openlineage.spark.api.CustomFacetBuilder;
import io.openlineage.spark.api.OpenLineageContext;
import io.openlineage.spark.api.OpenLineageEventHandlerFactory;
import java.util.Collection;
import java.util.Collections;
import java.util.function.Supplier;
import org.slf4j.LoggerFactory;

/** Where OpenLineage's listener finds the agent, by META-INF/services. Asked once for each query. */
public final class AgentFactory implements OpenLineageEventHandlerFactory {
    private static volatile boolean isTold;

    @Override
    public Collection<CustomFacetBuilder<?, ? extends OpenLineage.RunFacet>> createRunFacetBuilders(
            OpenLineageContext context) {
        return only(() -> Collections.singletonList(new RunFacets(context)));
    }

    @Override
    public Collection<CustomFacetBuilder<?, ? extends OpenLineage.OutputDatasetFacet>> createOutputDatasetFacetBuilders(
            OpenLineageContext context) {
        return only(() -> Collections.singletonList(new ColumnsFacet(context)));
    }

    @Override
    public Collection<ColumnLevelLineageVisitor> createColumnLevelLineageVisitors(OpenLineageContext context) {
        return only(() -> Collections.singletonList(new Dependencies()));
    }

    /**
     * No class of ours is in its type: the JVM would load it to verify this class, before anything guards. If `Agent`
     * itself cannot be loaded, it guards nothing, and Spark stops an application for a LinkageError.
     */
    private static <T> Collection<T> only(Supplier<Collection<T>> made) {
        try {
            return Agent.guard(made, Collections.emptyList());
        } catch (LinkageError failure) {
            if (!isTold) {
                isTold = true;
                LoggerFactory.getLogger("headwater.spark").warn("headwater-spark failed: {}", failure.toString());
            }
            return Collections.emptyList();
        }
    }
}
