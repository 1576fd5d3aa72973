package headwater.spark;

import io.openlineage.client.OpenLineage;
import io.openlineage.spark.agent.lifecycle.plan.column.ColumnLevelLineageVisitor;
import io.openlineage.spark.api.CustomFacetBuilder;
import io.openlineage.spark.api.OpenLineageContext;
import io.openlineage.spark.api.OpenLineageEventHandlerFactory;
import java.util.Collection;
import java.util.Collections;

/** Where OpenLineage's listener finds the agent, by META-INF/services. Asked once for each query. */
public final class AgentFactory implements OpenLineageEventHandlerFactory {
    @Override
    public Collection<CustomFacetBuilder<?, ? extends OpenLineage.RunFacet>> createRunFacetBuilders(
            OpenLineageContext context) {
        return Agent.guard(() -> Collections.singletonList(new RunFacets(context)), Collections.emptyList());
    }

    @Override
    public Collection<CustomFacetBuilder<?, ? extends OpenLineage.OutputDatasetFacet>> createOutputDatasetFacetBuilders(
            OpenLineageContext context) {
        return Agent.guard(() -> Collections.singletonList(new ColumnsFacet(context)), Collections.emptyList());
    }

    @Override
    public Collection<ColumnLevelLineageVisitor> createColumnLevelLineageVisitors(OpenLineageContext context) {
        return Agent.guard(() -> Collections.singletonList(new Dependencies()), Collections.emptyList());
    }
}
