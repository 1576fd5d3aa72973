package headwater.spark;

import io.openlineage.spark.agent.lifecycle.plan.column.ColumnLevelLineageBuilder;
import io.openlineage.spark.agent.lifecycle.plan.column.ColumnLevelLineageContext;
import io.openlineage.spark.agent.lifecycle.plan.column.ColumnLevelLineageVisitor;
import java.lang.reflect.Method;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** Columns that Python functions make, UDFs, pandas UDFs and UDTFs, come of the functions' arguments. */
final class PythonColumns implements ColumnLevelLineageVisitor {
    @Override
    public void collectInputs(ColumnLevelLineageContext context, LogicalPlan plan) {}

    @Override
    public void collectOutputs(ColumnLevelLineageContext context, LogicalPlan plan) {}

    @Override
    public void collectExpressionDependencies(ColumnLevelLineageContext context, LogicalPlan plan) {
        Agent.guard(() -> {
            for (Evaluation each : Evaluation.of(plan)) {
                for (Attribute argument : each.arguments) {
                    depend(context.getBuilder(), each, argument);
                }
            }
        });
    }

    /** Version 1.37 of the listener takes (result, argument, transformation), 1.53 a text before the last. */
    private static void depend(ColumnLevelLineageBuilder builder, Evaluation evaluation, Attribute argument) {
        for (Method method : builder.getClass().getMethods()) {
            Class<?>[] types = method.getParameterTypes();
            if (!method.getName().equals("addDependency") || !isTransformation(types[types.length - 1])) {
                continue;
            }
            ExprId result = evaluation.result.exprId();
            ExprId source = argument.exprId();
            try {
                Object made = transformation(types[types.length - 1], evaluation.description());
                if (types.length == 4) {
                    method.invoke(builder, result, source, evaluation.result.name(), made);
                } else {
                    method.invoke(builder, result, source, made);
                }
            } catch (ReflectiveOperationException failure) {
                throw new IllegalStateException(failure);
            }
        }
    }

    private static boolean isTransformation(Class<?> type) {
        return type.getSimpleName().equals("TransformationInfo");
    }

    private static Object transformation(Class<?> type, String description) throws ReflectiveOperationException {
        try {
            return type.getMethod("transformation", String.class).invoke(null, description);
        } catch (NoSuchMethodException before138) {
            return type.getMethod("transformation").invoke(null);
        }
    }
}
