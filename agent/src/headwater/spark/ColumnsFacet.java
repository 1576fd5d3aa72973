package headwater.spark;

import io.openlineage.client.OpenLineage;
import io.openlineage.spark.api.CustomFacetBuilder;
import io.openlineage.spark.api.OpenLineageContext;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.spark.scheduler.SparkListenerEvent;

/**
 * The output facet headwater_columns: the columns of which the listener's column lineage cannot tell all, since Python
 * or another opaque step makes them, and those that are made of nothing. It has names of columns and of steps, and no
 * values.
 */
final class ColumnsFacet extends CustomFacetBuilder<Object, OpenLineage.OutputDatasetFacet> {
    private static final int MOST = 2_000; // columns in a facet

    private final OpenLineageContext context;
    private Map<String, Object> columns;

    ColumnsFacet(OpenLineageContext context) {
        this.context = context;
    }

    @Override
    public boolean isDefinedAt(Object event) {
        return event instanceof SparkListenerEvent;
    }

    @Override
    protected void build(Object event, BiConsumer<String, ? super OpenLineage.OutputDatasetFacet> facets) {
        Agent.guard(() -> {
            if (columns == null && context.getOptimizedPlanOptional().isPresent()) {
                columns = Agent.guard(this::read, Collections.emptyMap());
            }
            if (columns != null && !columns.isEmpty()) {
                OpenLineage.OutputDatasetFacet facet = Own.OPEN_LINEAGE.newOutputDatasetFacet();
                facet.getAdditionalProperties().put("columns", columns);
                facets.accept("headwater_columns", facet);
            }
        });
    }

    private Map<String, Object> read() {
        Map<String, Object> entries = new LinkedHashMap<>();
        Origins.of(context.getOptimizedPlan()).forEach((name, origin) -> {
            Map<String, Object> entry = origin.entry();
            if (entry != null && entries.size() < MOST) {
                entries.put(name, entry);
            }
        });
        return entries;
    }
}
