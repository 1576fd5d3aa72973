package headwater.spark;

import io.openlineage.client.OpenLineageClientException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What keeps a fault of the agent away from the job and from the listener's events: one line of log for the first fault,
 * and a facet in the next event.
 */
final class Agent {
    private static final Logger LOG = LoggerFactory.getLogger("headwater.spark");
    private static volatile String fault;
    private static volatile boolean isUnsentTold;

    private Agent() {}

    /** The first fault; null if there was none. */
    static String fault() {
        return fault;
    }

    static void guard(Runnable work) {
        guard(() -> {
            work.run();
            return null;
        }, null);
    }

    /**
     * The answer of some work, else `otherwise`. A class that is missing in some version is a LinkageError, and Java 8
     * has an InternalError for the simple name of a class that Scala nests.
     */
    static <T> T guard(Supplier<T> work, T otherwise) {
        try {
            return work.get();
        } catch (Exception | LinkageError | StackOverflowError | InternalError failure) {
            report(failure);
            return otherwise;
        }
    }

    /** An event of the agent's own did not arrive, as the listener's do not while the network is away: no fault. */
    static void unsent(OpenLineageClientException failure) {
        if (!isUnsentTold) {
            isUnsentTold = true;
            LOG.warn("headwater-spark could not send an event, and may not send others: {}", failure.toString());
        }
    }

    private static void report(Throwable failure) {
        if (fault == null) {
            fault = failure.toString();
            LOG.warn("headwater-spark failed, and lineage comes without it: {}", fault);
        }
    }
}
