package headwater.spark;

import io.openlineage.client.utils.DatasetIdentifier;
import io.openlineage.spark.agent.util.PathUtils;
import io.openlineage.spark.agent.util.PlanUtils;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import scala.Option;

/**
 * The fitted pipelines that an application saves, as Spark ML tells of them: a model on its own has no such event.
 * Each is a job with one run, which writes the model, and reads what it was fitted on, if the model still knows that. Else
 * it may be fitted on whatever the application has read so far.
 */
final class Models {
    private static final int MOST = 200; // parameters, and characters of one
    private static final int OPEN = 20; // saves under way; one that failed has no end

    private static final int MOST_READ = 100;
    private static final int MOST_RDDS = 1_000; // of one job
    private static final Pattern PARTITIONS = Pattern.compile("(/[^/=]+=[^/]*|/part-\\d{5}[^/]*)+/?$");

    private static final String DAY = "20\\d\\d(?<mark>[-_.]?)(0[1-9]|1[0-2])\\k<mark>(0[1-9]|[12]\\d|3[01])";
    private static final String TIME = "[T_-]?([01]\\d|2[0-3])([-_:.]?[0-5]\\d){1,2}([.,]\\d+)?(Z|[-+]\\d\\d:?\\d\\d)?";
    private static final String DAY_OF_FOLDERS = "20\\d\\d/(\\w+=)?(0?[1-9]|1[0-2])/(\\w+=)?(0?[1-9]|[12]\\d|3[01])";
    private static final String SECONDS_OR_MILLIS = "1\\d{9}(\\d{3})?";
    private static final String ID = "[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}|[0-9a-f]{16,}";
    /** What is new in each run: a folder, or the beginning or end of one. The last is a folder of Python's tempfile. */
    private static final Pattern NEW = Pattern.compile("(?i)((?<![^/])(\\w+=)?|(?<=[^/])[-_.])("
            + String.join("|", DAY + "(" + TIME + ")?", DAY_OF_FOLDERS, SECONDS_OR_MILLIS, ID)
            + ")(?=[-_./]|$)|(?<=/)tmp[a-z0-9_]{8}(?=/)");

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
        addLeaves(plan, READ);
    }

    /** A job without a query runs: Spark 3.5 fits most models so. What a job that is over by now has read is not seen. */
    @SuppressWarnings("unchecked")
    static synchronized void read(SparkContext spark, int job) {
        Object running = Scala.get(Scala.get(spark, "dagScheduler"), "jobIdToActiveJob");
        Object active = running instanceof scala.collection.Map
                ? ((scala.collection.Map<Object, ?>) running).get(job).getOrElse(() -> null) : null;
        try {
            PlanUtils.findDatasetIdentifiers(sourcesOf(Scala.get(Scala.get(active, "finalStage"), "rdd")))
                    .forEach(each -> add(READ, each));
        } catch (NoSuchMethodError absent) {
            return; // version 1.37 of the listener has no such method
        }
    }

    private static List<RDD<?>> sourcesOf(Object last) {
        List<RDD<?>> sources = new ArrayList<>();
        List<Object> found = new ArrayList<>();
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        found.add(last);
        for (int i = 0; i < found.size() && i < MOST_RDDS; i++) {
            List<Object> dependencies = Scala.list(found.get(i), "dependencies");
            if (dependencies.isEmpty() && found.get(i) instanceof RDD) {
                sources.add((RDD<?>) found.get(i));
            }
            dependencies.stream().map(each -> Scala.get(each, "rdd")).filter(seen::add).forEach(found::add);
        }
        return sources;
    }

    /** Takes FitStart, which only pipelines of Scala have, SaveInstanceStart and SaveInstanceEnd; else nothing. */
    static synchronized void event(Object event) {
        String kind = event.getClass().getSimpleName();
        Object plan = kind.equals("FitStart") ? planOf(Scala.get(event, "dataset")) : null;
        if (plan instanceof LogicalPlan) {
            addLeaves((LogicalPlan) plan, READ);
        }
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
        String named = Stream.plain(NEW.matcher(path).replaceAll(""));
        return named.isEmpty() ? "model" : named;
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

    /** Names of columns and other texts, numbers and switches. Others, such as matrices, are kept only in the model. */
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
                Object plan = planOf(Scala.get(Scala.get(stage, "summary"), "predictions"));
                if (plan instanceof LogicalPlan) {
                    addLeaves((LogicalPlan) plan, sources);
                }
            }
        }
        return sources;
    }

    private static Object planOf(Object frame) {
        return Scala.get(Scala.get(frame, "queryExecution"), "analyzed");
    }

    /** What a plan reads. A node that writes may name what it writes in the same way, but is no leaf. */
    private static void addLeaves(Object plan, Set<DatasetIdentifier> sources) {
        List<Object> children = Scala.list(plan, "children");
        if (!children.isEmpty()) {
            children.forEach(child -> addLeaves(child, sources));
            return;
        }
        Object relation = Scala.get(plan, "relation"); // of files, of Iceberg, or cached
        for (Object cached : new Object[] {plan, relation}) {
            Object executed = Scala.get(Scala.get(cached, "cacheBuilder"), "cachedPlan");
            Object adaptive = Scala.get(cached, "inputPlan");
            if (executed != null || adaptive != null) {
                addLeaves(executed == null ? adaptive : executed, sources);
                return;
            }
        }
        Object ofCatalog = Scala.get(plan, "catalogTable"); // whose partitions may be the paths of the relation
        Object ofHive = Scala.get(plan, "tableMeta");
        Object table = ofCatalog instanceof Option ? ((Option<?>) ofCatalog).getOrElse(() -> ofHive) : ofHive;
        Object location = Scala.get(table, "location");
        if (location instanceof URI) {
            add(sources, PathUtils.fromURI((URI) location));
            return;
        }
        for (Object path : Scala.list(Scala.get(relation, "location"), "rootPaths")) {
            add(sources, PathUtils.fromPath((Path) path));
        }
        add(sources, Stream.ofTable(Scala.get(relation == null ? plan : relation, "table")));
    }

    /** Adds a dataset, not its partitions and the files of a stream, as the newest of those that are kept. */
    private static void add(Set<DatasetIdentifier> sources, DatasetIdentifier dataset) {
        if (dataset == null) {
            return;
        }
        String folder = PARTITIONS.matcher(dataset.getName()).replaceFirst("");
        DatasetIdentifier source = new DatasetIdentifier(folder, dataset.getNamespace());
        sources.remove(source);
        sources.add(source);
        if (sources.size() > MOST_READ) {
            Iterator<DatasetIdentifier> oldest = sources.iterator();
            oldest.next();
            oldest.remove();
        }
    }
}
