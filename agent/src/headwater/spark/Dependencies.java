package headwater.spark;

import io.openlineage.spark.agent.lifecycle.plan.column.ColumnLevelLineageBuilder;
import io.openlineage.spark.agent.lifecycle.plan.column.ColumnLevelLineageContext;
import io.openlineage.spark.agent.lifecycle.plan.column.ColumnLevelLineageVisitor;
import java.lang.reflect.Method;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/**
 * The dependencies of columns that the listener has none for: those that Python functions make (UDFs, pandas UDFs and
 * UDTFs) come of the functions' arguments, and those by which ROLLUP, CUBE and GROUPING SETS group come of themselves.
 */
final class Dependencies implements ColumnLevelLineageVisitor {
    @Override
    public void collectInputs(ColumnLevelLineageContext context, LogicalPlan plan) {}

    @Override
    public void collectOutputs(ColumnLevelLineageContext context, LogicalPlan plan) {}

    @Override
    public void collectExpressionDependencies(ColumnLevelLineageContext context, LogicalPlan plan) {
        Agent.guard(() -> {
            for (Evaluation each : Evaluation.of(plan)) {
                if (!each.isOfRows) {
                    each.arguments.forEach(argument ->
                            depend(context.getBuilder(), each.result, argument, "transformation", each.description()));
                }
            }
            if (Scala.is(plan, "Expand")) {
                expand(context.getBuilder(), plan);
            }
        });
    }

    /** Each row comes once for each grouping, with null in the place of columns that it does not group by. */
    private static void expand(ColumnLevelLineageBuilder builder, LogicalPlan plan) {
        List<Object> columns = Scala.list(plan, "output");
        for (Object projection : Scala.list(plan, "projections")) {
            List<Object> values = Scala.listOf(projection);
            for (int i = 0; i < columns.size(); i++) {
                Attribute column = (Attribute) columns.get(i);
                Object value = values.get(i);
                if (value instanceof Attribute && !column.exprId().equals(((Attribute) value).exprId())) {
                    depend(builder, column, (Attribute) value, "identity", column.name());
                }
            }
        }
    }

    /** Version 1.37 of the listener takes (result, argument, transformation), 1.53 a text before the last. */
    private static void depend(
            ColumnLevelLineageBuilder builder, Attribute result, Attribute argument, String kind, String description) {
        for (Method method : builder.getClass().getMethods()) {
            Class<?>[] types = method.getParameterTypes();
            if (!method.getName().equals("addDependency") || !isTransformation(types[types.length - 1])) {
                continue;
            }
            ExprId id = result.exprId();
            ExprId source = argument.exprId();
            try {
                Object made = transformation(types[types.length - 1], kind, description);
                if (types.length == 4) {
                    method.invoke(builder, id, source, result.name(), made);
                } else {
                    method.invoke(builder, id, source, made);
                }
            } catch (ReflectiveOperationException failure) {
                throw new IllegalStateException(failure);
            }
        }
    }

    private static boolean isTransformation(Class<?> type) {
        return type.getSimpleName().equals("TransformationInfo");
    }

    private static Object transformation(Class<?> type, String kind, String description)
            throws ReflectiveOperationException {
        try {
            return type.getMethod(kind, String.class).invoke(null, description);
        } catch (NoSuchMethodException before138) {
            return type.getMethod(kind).invoke(null);
        }
    }
}
