package headwater.spark;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import scala.Option;

/**
 * The origins of the columns of a plan, from its sources up.
 *
 * An opaque node may make its columns of any column below it. Of a node that is neither opaque nor known here, nothing
 * is said: the listener may know it.
 */
final class Origins {
    private static final Pattern OPAQUE = Pattern.compile("(Python)?"
            + "(Map|FlatMap|CoGroup|AppendColumns|SerializeFromObject|Deserialize|ScriptTransformation|TransformWithState)\\w*");
    private static final String NO_ARGUMENTS = "a function without arguments";

    private final Map<Object, Origin> byId = new HashMap<>();

    /** The origins of the columns that a query writes, or answers, by name. */
    static Map<String, Origin> of(LogicalPlan command) {
        LogicalPlan query = queryOf(command);
        Origins origins = new Origins();
        origins.walk(query);
        List<Object> names = Scala.list(command, "outputColumnNames");
        List<Attribute> columns = outputOf(query);
        Map<String, Origin> byName = new LinkedHashMap<>();
        for (int i = 0; i < columns.size(); i++) {
            String name = i < names.size() ? String.valueOf(names.get(i)) : columns.get(i).name();
            byName.put(name, origins.get(columns.get(i)));
        }
        return byName;
    }

    /** The query inside a command that writes, below the nodes that prepare the write. */
    private static LogicalPlan queryOf(LogicalPlan command) {
        Object query = Scala.get(command, "query");
        if (!(query instanceof LogicalPlan)) {
            return command;
        }
        boolean isPreparation = Scala.is(query, "WriteFiles");
        return isPreparation ? (LogicalPlan) Scala.list(query, "children").get(0) : (LogicalPlan) query;
    }

    private void walk(LogicalPlan plan) {
        List<LogicalPlan> children = new ArrayList<>();
        for (Object child : Scala.list(plan, "children")) {
            walk((LogicalPlan) child);
            children.add((LogicalPlan) child);
        }
        if (children.isEmpty()) {
            for (Attribute column : outputOf(plan)) {
                byId.put(column.exprId(), leaf(plan, column));
            }
            return;
        }
        if (OPAQUE.matcher(plan.getClass().getSimpleName()).matches()) {
            makeOpaque(plan, children);
            return;
        }
        for (Object expression : Scala.list(plan, "expressions")) {
            if (expression instanceof Alias) {
                byId.put(((Alias) expression).exprId(), made(((Alias) expression).child()));
            }
        }
        for (Evaluation each : Evaluation.of(plan)) {
            byId.put(each.result.exprId(), evaluated(each));
        }
        makeOthers(plan, children);
        for (Attribute column : outputOf(plan)) {
            byId.computeIfAbsent(column.exprId(), id -> Origin.unexplained());
        }
    }

    private Origin leaf(LogicalPlan plan, Attribute column) {
        switch (plan.getClass().getSimpleName()) {
            case "LocalRelation": // of literals, or of a pandas data frame that was made of anything
                return Origin.unknown("local data");
            case "Range":
                return Origin.generated("range");
            case "LogicalRDD":
            case "ExternalRDD":
                return Origin.unknown("RDD");
            case "InMemoryRelation":
                return cached(plan, column);
            case "CTERelationRef":
                return Origin.unexplained();
            default:
                return Origin.of(column.name());
        }
    }

    /** A column of a cached query, by its place. */
    private Origin cached(LogicalPlan relation, Attribute column) {
        Object cached = Scala.get(Scala.get(relation, "cacheBuilder"), "cachedPlan");
        Object query = ((Option<?>) Scala.get(cached, "logicalLink")).getOrElse(() -> null);
        int place = outputOf(relation).indexOf(column);
        if (!(query instanceof LogicalPlan) || place >= outputOf((LogicalPlan) query).size()) {
            return Origin.unexplained();
        }
        walk((LogicalPlan) query);
        return get(outputOf((LogicalPlan) query).get(place));
    }

    private Origin evaluated(Evaluation evaluation) {
        Origin origin = evaluation.arguments.isEmpty() ? Origin.unknown(NO_ARGUMENTS) : new Origin();
        evaluation.arguments.forEach(argument -> origin.add(get(argument)));
        return evaluation.isOfRows ? origin.behind(evaluation.function) : origin;
    }

    /** What an expression is made of. */
    private Origin made(Expression expression) {
        if (expression.foldable()) {
            return Origin.generated(Origin.CONSTANT);
        }
        Origin origin = new Origin();
        Evaluation.referencesOf(expression).forEach(column -> origin.add(get(column)));
        if (holds(expression, "TypedAggregateExpression")) {
            return origin.behind(nameOf(expression)); // it is given whole objects
        }
        boolean isOfFunction = addParts(expression, origin);
        if (origin.isOfNothing() && origin.generator == null) {
            return isOfFunction
                    ? Origin.unknown(NO_ARGUMENTS) : Origin.generated(nameOf(expression));
        }
        return origin;
    }

    /** `count` of an aggregate, `row_number` of a window. */
    private static String nameOf(Expression expression) {
        for (String getter : new String[] {"aggregateFunction", "windowFunction"}) {
            Object function = Scala.get(expression, getter);
            if (function instanceof Expression) {
                return nameOf((Expression) function);
            }
        }
        return expression.prettyName();
    }

    private static boolean holds(Expression expression, String kind) {
        return Scala.is(expression, kind)
                || Scala.list(expression, "children").stream().anyMatch(child -> holds((Expression) child, kind));
    }

    /** Adds the columns of subqueries. Answers whether a function of the user's is among the parts of an expression. */
    private boolean addParts(Expression expression, Origin origin) {
        boolean isOfFunction = Scala.is(expression, "UserDefinedExpression");
        Object subquery = Scala.is(expression, "PlanExpression") ? Scala.get(expression, "plan") : null;
        if (subquery instanceof LogicalPlan) {
            walk((LogicalPlan) subquery);
            outputOf((LogicalPlan) subquery).forEach(column -> origin.add(get(column)));
        }
        for (Object child : Scala.list(expression, "children")) {
            isOfFunction |= addParts((Expression) child, origin);
        }
        return isOfFunction;
    }

    /** The columns of the nodes that make columns without an alias. */
    private void makeOthers(LogicalPlan plan, List<LogicalPlan> children) {
        List<Attribute> columns = outputOf(plan);
        switch (plan.getClass().getSimpleName()) {
            case "Union":
                unite(columns, children);
                return;
            case "Generate":
                Origin generated = made((Expression) Scala.get(plan, "generator"));
                Scala.list(plan, "generatorOutput")
                        .forEach(column -> byId.put(((Attribute) column).exprId(), generated));
                return;
            case "Expand":
                expand(columns, Scala.list(plan, "projections"));
                return;
            default:
        }
    }

    private void makeOpaque(LogicalPlan plan, List<LogicalPlan> children) {
        Origin all = new Origin();
        children.forEach(child -> outputOf(child).forEach(column -> all.add(get(column))));
        for (Attribute column : outputOf(plan)) {
            byId.computeIfAbsent(column.exprId(), id -> all.behind(plan.nodeName()));
        }
    }

    /** A union has the ids of its first child, in a column of which the others' columns end, too. */
    private void unite(List<Attribute> columns, List<LogicalPlan> children) {
        List<Origin> united = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            Origin origin = new Origin();
            for (LogicalPlan child : children) {
                origin.add(get(outputOf(child).get(i)));
            }
            united.add(origin);
        }
        for (int i = 0; i < columns.size(); i++) {
            byId.put(columns.get(i).exprId(), united.get(i));
        }
    }

    private void expand(List<Attribute> columns, List<Object> projections) {
        for (int i = 0; i < columns.size(); i++) {
            Origin origin = new Origin();
            for (Object projection : projections) {
                origin.add(made((Expression) Scala.listOf(projection).get(i)));
            }
            byId.put(columns.get(i).exprId(), origin);
        }
    }

    private Origin get(Attribute column) {
        return byId.getOrDefault(column.exprId(), Origin.unexplained());
    }

    private static List<Attribute> outputOf(LogicalPlan plan) {
        List<Attribute> columns = new ArrayList<>();
        for (Object column : Scala.list(plan, "output")) {
            columns.add((Attribute) column);
        }
        return columns;
    }
}
