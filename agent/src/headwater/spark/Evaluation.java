package headwater.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.StructType;

/** A column that a node of a plan makes by calling a Python function: a UDF, a pandas UDF or a table function. */
final class Evaluation {
    final Attribute result;
    final List<Attribute> arguments;
    /** Whether a table function gets whole rows, `f(TABLE(orders))`: a result may be of any of their columns. */
    final boolean isOfRows;

    final String function;

    private Evaluation(Object result, Object function, boolean isOfTable) {
        this.result = (Attribute) result;
        this.function = String.valueOf(Scala.get(function, "name"));
        this.arguments = referencesOf((Expression) function);
        this.isOfRows = isOfTable && arguments.stream().anyMatch(each -> each.dataType() instanceof StructType);
    }

    /** The columns of BatchEvalPython and ArrowEvalPython, one a function, or those of a table function. */
    static List<Evaluation> of(LogicalPlan plan) {
        List<Evaluation> evaluations = new ArrayList<>();
        List<Object> results = Scala.list(plan, "resultAttrs");
        List<Object> functions = results.isEmpty() ? results : Scala.list(plan, "udfs");
        Object ofTable = results.isEmpty() ? null : Scala.get(plan, "udtf");
        for (int i = 0; i < results.size(); i++) {
            Object function = i < functions.size() ? functions.get(i) : ofTable;
            if (function instanceof Expression) {
                evaluations.add(new Evaluation(results.get(i), function, function == ofTable));
            }
        }
        return evaluations;
    }

    static List<Attribute> referencesOf(Expression expression) {
        return Scala.listOf(expression.references()).stream().map(Attribute.class::cast).collect(Collectors.toList());
    }

    /** `discount(cost)`, without literals among the arguments. */
    String description() {
        return arguments.stream().map(Attribute::name).collect(Collectors.joining(", ", function + "(", ")"));
    }
}
