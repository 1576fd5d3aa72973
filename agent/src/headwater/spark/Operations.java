package headwater.spark;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What the stages of a query do. A node of the plan counts in accumulators, and a stage names those that its tasks counted
 * in: the stage of a SortMergeJoin has "number of output rows" of that node.
 */
final class Operations {
    private static final String[] TELLING = {"Join", "Cartesian", "Window", "Pandas", "Python", "Scan", "Aggregate", "Sort"};
    private static final int MOST = 5_000; // accumulators

    private final Map<Long, Integer> ranks = new HashMap<>();

    /** Learns of a SparkPlanInfo; under adaptive execution a query has several, one after another. */
    void plan(Object info) {
        String name = String.valueOf(Scala.get(info, "nodeName")).split(" ", 2)[0]; // `Scan parquet db.Joined` is no join
        for (int rank = 0; rank < TELLING.length; rank++) {
            if (name.contains(TELLING[rank])) {
                count(info, rank);
                break;
            }
        }
        Scala.list(info, "children").forEach(this::plan);
    }

    private void count(Object info, int rank) {
        for (Object metric : Scala.list(info, "metrics")) {
            if (ranks.size() < MOST) {
                ranks.put((Long) Scala.get(metric, "accumulatorId"), rank);
            }
        }
    }

    /** The most telling operation that counted in some accumulators, such as `join`; null if none is known. */
    String of(scala.collection.Iterator<?> accumulators) {
        int best = TELLING.length;
        while (accumulators.hasNext()) {
            best = Math.min(best, ranks.getOrDefault((Long) accumulators.next(), TELLING.length));
        }
        return best < TELLING.length ? TELLING[best].toLowerCase(Locale.ROOT) : null;
    }

    void clear() {
        ranks.clear();
    }
}
