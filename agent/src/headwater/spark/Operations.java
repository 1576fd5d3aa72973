package headwater.spark;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.scheduler.StageInfo;
import org.apache.spark.storage.RDDInfo;

/**
 * What the stages of a query do. A node of the plan counts in accumulators, and a stage names those that its tasks counted
 * in: the stage of a SortMergeJoin has "number of output rows" of that node. Tasks that failed counted in none; then it is
 * what the RDDs of the stage are named after, of generated code by its number.
 */
final class Operations {
    private static final String[] TELLING = {"Join", "Cartesian", "Window", "Pandas", "Python", "Scan", "Aggregate", "Sort"};
    private static final String CODE = "WholeStageCodegen";
    private static final int MOST = 5_000; // accumulators

    private final Map<Object, Integer> ranks = new HashMap<>(); // by accumulator, and by name of generated code

    /** Learns of a SparkPlanInfo; under adaptive execution a query has several, one after another. */
    void plan(Object info) {
        plan(info, null);
    }

    /** `code` is the generated code that a node is part of; what it gets as input is not. */
    private void plan(Object info, String code) {
        String name = String.valueOf(Scala.get(info, "nodeName"));
        int rank = rank(name);
        if (rank < TELLING.length) {
            Scala.list(info, "metrics").forEach(metric -> learn(Scala.get(metric, "accumulatorId"), rank));
            learn(code, rank);
        }
        String below = name.startsWith(CODE) ? name : name.equals("InputAdapter") ? null : code;
        Scala.list(info, "children").forEach(child -> plan(child, below));
    }

    private static int rank(String name) {
        String node = name.split(" ", 2)[0]; // `Scan parquet db.Joined` is no join
        int rank = 0;
        while (rank < TELLING.length && !node.contains(TELLING[rank])) {
            rank++;
        }
        return rank;
    }

    private void learn(Object counter, int rank) {
        if (counter != null && ranks.size() < MOST) {
            ranks.merge(counter, rank, Math::min);
        }
    }

    /** The most telling operation of a stage, such as `join`; null if none is known. */
    String of(StageInfo stage) {
        int best = TELLING.length;
        for (scala.collection.Iterator<?> counters = stage.accumulables().keysIterator(); counters.hasNext(); ) {
            best = Math.min(best, ranks.getOrDefault(counters.next(), TELLING.length));
        }
        List<Object> rdds = best < TELLING.length ? Collections.emptyList() : Scala.list(stage, "rddInfos");
        int cached = -1; // what made a cached one is done
        for (Object each : rdds) {
            cached = ((RDDInfo) each).storageLevel().isValid() ? Math.max(cached, ((RDDInfo) each).id()) : cached;
        }
        for (Object each : rdds) {
            RDDInfo rdd = (RDDInfo) each;
            if (rdd.id() > cached && rdd.scope().isDefined()) {
                String scope = String.valueOf(Scala.get(rdd.scope().get(), "name"));
                best = Math.min(best, ranks.getOrDefault(scope, rank(scope)));
            }
        }
        return best < TELLING.length ? TELLING[best].toLowerCase(Locale.ROOT) : null;
    }

    void clear() {
        ranks.clear();
    }
}
