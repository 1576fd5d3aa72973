package headwater.spark;

import io.openlineage.client.utils.DatasetIdentifier;
import io.openlineage.spark.agent.util.PathUtils;
import io.openlineage.spark.agent.util.PlanUtils;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import scala.Option;

/**
 * The fitted pipelines that an application saves, as Spark ML tells of them: a model alone has no such event.
 * Each is a job with one run, which writes the model, and reads what it was fitted on, if the model still knows that. Else
 * it may be fitted on whatever the application has read so far.
 */
final class Models {
    private static final int MOST = 200; // parameters, and characters of one
    private static final int OPEN = 20; // saves under way; one that failed has no end

    private static final Pattern NEW = Pattern.compile("(?i)(\\w+=)?"
            + "([0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}|[0-9a-f]{16,}|\\d{4}-?\\d\\d-?\\d\\d\\D?.*|\\d{9,})");

    /**
     * The stages of what is being saved, by its path: of a PipelineModel; none of a Pipeline to be fitted. They are saved
     * below the path, each with events of its own.
     */
    private static final Map<String, List<Object>> saving = new LinkedHashMap<String, List<Object>>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, List<Object>> eldest) {
            return size() > OPEN;
        }
    };

    /** What the application has read so far, as the listener names it: folders and tables. */
    private static final Set<DatasetIdentifier> READ = new LinkedHashSet<>();

    private Models() {}

    /** Another application begins. */
    static synchronized void clear() {
        READ.clear();
    }

    /** A query of the application reads these. */
    static synchronized void read(LogicalPlan plan) {
        if (READ.size() < MOST) {
            addLeaves(plan, READ);
        }
    }

    /** A job without a query reads this: Spark 3.5 fits most models so. */
    static synchronized void read(RDD<?> rdd) {
        if (READ.size() < MOST && rdd.dependencies().isEmpty()) {
            try {
                READ.addAll(PlanUtils.findDatasetIdentifiers(Collections.singletonList(rdd)));
            } catch (NoSuchMethodError absent) {
                return; // version 1.37 of the listener has no such method
            }
        }
    }

    /** Takes SaveInstanceStart and SaveInstanceEnd; of Spark's other events nothing. */
    static synchronized void event(Object event) {
        String kind = event.getClass().getSimpleName();
        if (!kind.startsWith("SaveInstance")) {
            return;
        }
        String path = String.valueOf(Scala.get(event, "path"));
        if (kind.equals("SaveInstanceStart")) {
            if (saving.keySet().stream().noneMatch(whole -> path.startsWith(whole + "/stages/"))) {
                Object all = Scala.get(Scala.get(Scala.get(event, "writer"), "instance"), "stages");
                saving.put(path, all instanceof Object[] ? Arrays.asList((Object[]) all) : Collections.emptyList());
            }
        } else if (kind.equals("SaveInstanceEnd")) {
            List<Object> stages = saving.remove(path);
            if (stages != null && !stages.isEmpty()) {
                Set<DatasetIdentifier> sources = fittedOn(stages);
                boolean isKnown = !sources.isEmpty();
                Own.sendModel(PathUtils.fromPath(new Path(path)), isKnown ? sources : READ, !isKnown, parameters(stages));
            }
        }
    }

    /** The path of a model as a name, without what is new in each run: a date, or a random id as of mlflow. */
    static String nameOf(String path) {
        String[] folders = path.split("/");
        String named = Arrays.stream(folders).filter(each -> !NEW.matcher(each).matches()).collect(Collectors.joining("_"));
        return named.isEmpty() ? "model" : Stream.plain(named);
    }

    /** The parameters of all stages: `{"key": "LogisticRegression.maxIter", "value": "10"}`. */
    private static List<Map<String, Object>> parameters(List<Object> stages) {
        List<Map<String, Object>> parameters = new ArrayList<>();
        for (Object stage : stages) {
            String kind = stage.getClass().getSimpleName().replaceFirst("Model$", "");
            for (Object pair : Scala.list(Scala.get(stage, "extractParamMap"), "toSeq")) {
                String value = text(Scala.get(pair, "value"));
                if (parameters.size() < MOST && !value.isEmpty() && value.length() <= MOST) {
                    Map<String, Object> parameter = new LinkedHashMap<>();
                    parameter.put("key", kind + "." + Scala.get(Scala.get(pair, "param"), "name"));
                    parameter.put("value", value);
                    parameters.add(parameter);
                }
            }
        }
        return parameters;
    }

    /** Names of columns and other texts, numbers and switches. Others are kept in the model alone, such as matrices. */
    private static String text(Object value) {
        if (value instanceof String[]) {
            return String.join(", ", (String[]) value);
        }
        return value instanceof String || value instanceof Number || value instanceof Boolean ? value.toString() : "";
    }

    /** The sources of what a model predicted for its training data, which its summary keeps; else none. */
    private static Set<DatasetIdentifier> fittedOn(List<Object> stages) {
        Set<DatasetIdentifier> sources = new LinkedHashSet<>();
        for (Object stage : stages) {
            if (Boolean.TRUE.equals(Scala.get(stage, "hasSummary"))) {
                Object predictions = Scala.get(Scala.get(stage, "summary"), "predictions");
                Object plan = Scala.get(Scala.get(predictions, "queryExecution"), "analyzed");
                if (plan instanceof LogicalPlan) {
                    addLeaves((LogicalPlan) plan, sources);
                }
            }
        }
        return sources;
    }

    private static void addLeaves(LogicalPlan plan, Set<DatasetIdentifier> sources) {
        Scala.list(plan, "children").forEach(child -> addLeaves((LogicalPlan) child, sources));
        Object ofCatalog = Scala.get(plan, "catalogTable"); // whose partitions may be the paths of the relation
        if (ofCatalog instanceof Option && ((Option<?>) ofCatalog).isDefined()) {
            Object location = Scala.get(((Option<?>) ofCatalog).get(), "location");
            if (location instanceof URI) {
                sources.add(PathUtils.fromURI((URI) location));
                return;
            }
        }
        Object location = Scala.get(Scala.get(plan, "relation"), "location");
        for (Object path : Scala.list(location, "rootPaths")) {
            sources.add(PathUtils.fromPath((Path) path));
        }
        DatasetIdentifier table = Stream.ofTable(Scala.get(plan, "table"));
        if (table != null) {
            sources.add(table);
        }
    }
}
