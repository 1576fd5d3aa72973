package headwater.spark;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What a column of a plan is made of.
 *
 * certain     columns of the sources that it is known to be made of
 * mayComeOf   columns of the sources that an opaque step could have used for it; null: any
 * opaque      the step that nobody looks into, such as MapInPandas; null if there is none
 * generator   what made it of nothing: `constant`, or a function such as `rand`; null if nothing did
 * isExplained whether all steps are known; of a column with a step that no rule knows, nothing is said
 */
final class Origin {
    final SortedSet<String> certain = new TreeSet<>();
    SortedSet<String> mayComeOf = new TreeSet<>();
    String opaque;
    String generator;
    boolean isExplained = true;

    static Origin of(String column) {
        Origin origin = new Origin();
        origin.certain.add(column);
        return origin;
    }

    static Origin unknown(String step) {
        Origin origin = new Origin();
        origin.opaque = step;
        origin.mayComeOf = null;
        return origin;
    }

    static Origin unexplained() {
        Origin origin = new Origin();
        origin.isExplained = false;
        return origin;
    }

    static Origin generated(String generator) {
        Origin origin = new Origin();
        origin.generator = generator;
        return origin;
    }

    /** Made of these, too. */
    Origin add(Origin other) {
        certain.addAll(other.certain);
        isExplained &= other.isExplained;
        opaque = opaque == null ? other.opaque : opaque;
        generator = generator == null ? other.generator : generator;
        mayComeOf = mayComeOf == null || other.mayComeOf == null ? null : union(mayComeOf, other.mayComeOf);
        return this;
    }

    /** A column that a step makes of this in a way that nobody sees. */
    Origin behind(String step) {
        Origin origin = new Origin();
        origin.opaque = step;
        origin.mayComeOf = mayComeOf == null || !isExplained ? null : union(certain, mayComeOf);
        return origin;
    }

    boolean isOfNothing() {
        return isExplained && opaque == null && certain.isEmpty();
    }

    /** The entry in the facet; null if the listener's column lineage says all. */
    Map<String, Object> entry() {
        Map<String, Object> entry = new LinkedHashMap<>();
        if (!isExplained) {
            return null;
        }
        if (opaque != null) {
            entry.put("kind", certain.isEmpty() ? "opaque" : "partly");
            entry.put("by", opaque);
            if (mayComeOf != null) {
                entry.put("mayComeOf", new ArrayList<>(mayComeOf));
            }
        } else if (isOfNothing() && generator != null) {
            boolean isConstant = generator.equals(CONSTANT);
            entry.put("kind", isConstant ? CONSTANT : "generated");
            if (!isConstant) {
                entry.put("by", generator);
            }
        }
        return entry.isEmpty() ? null : entry;
    }

    static final String CONSTANT = "constant";

    private static SortedSet<String> union(SortedSet<String> one, SortedSet<String> other) {
        SortedSet<String> both = new TreeSet<>(one);
        both.addAll(other);
        return both;
    }
}
