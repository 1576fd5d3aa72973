package headwater.spark;

import java.util.UUID;

/** The run of the last part of a query, or of a stream, that failed, and what it said. */
final class FailedPart {
    private UUID run;
    private String line;

    void set(UUID part, String message) {
        run = part;
        line = message.split("\n", 2)[0];
    }

    /** The run, if a message says that the whole failed by it: `boom` in `in batch 7: boom`. Else null. */
    UUID of(String message) {
        return run != null && !line.isEmpty() && message.contains(line) ? run : null;
    }
}
