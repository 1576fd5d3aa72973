package headwater.spark;

import io.openlineage.client.OpenLineage.RunEvent.EventType;
import io.openlineage.spark.api.OpenLineageContext;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.streaming.StreamingQueryListener.QueryProgressEvent;
import org.apache.spark.sql.streaming.StreamingQueryListener.QueryStartedEvent;
import org.apache.spark.sql.streaming.StreamingQueryListener.QueryTerminatedEvent;

/**
 * The streaming queries of this application, each a job with one run from its start to its end. A batch is reported by the
 * listener, as a query of the application. Spark tells of progress after each batch, and of a stream without data every
 * ten seconds.
 */
final class Streams {
    private static final long EVERY_MILLIS = 60_000;
    private static final Pattern RUN = Pattern.compile("\\brunId = ([0-9a-f-]{36})\\b");

    private static final Map<UUID, Stream> OPEN = new LinkedHashMap<>();

    private Streams() {}

    static synchronized void event(Object event) {
        if (event instanceof QueryStartedEvent) {
            QueryStartedEvent started = (QueryStartedEvent) event;
            Stream stream = new Stream(started.id(), started.runId(), started.name());
            OPEN.put(stream.run, stream);
            Own.send(stream, EventType.START, null);
        } else if (event instanceof QueryProgressEvent) {
            progress((QueryProgressEvent) event);
        } else if (event instanceof QueryTerminatedEvent) {
            QueryTerminatedEvent ended = (QueryTerminatedEvent) event;
            Stream stream = OPEN.remove(ended.runId());
            if (stream != null) {
                String message = ended.exception().isDefined() ? ended.exception().get() : null;
                Own.send(stream, message == null ? EventType.COMPLETE : EventType.FAIL, message);
            }
        }
    }

    private static void progress(QueryProgressEvent event) {
        Stream stream = OPEN.get(event.progress().runId());
        if (stream == null) {
            return;
        }
        stream.progress(event.progress());
        long now = System.currentTimeMillis();
        if (now - stream.sentAt >= EVERY_MILLIS) {
            stream.sentAt = now;
            Own.send(stream, EventType.RUNNING, null);
        }
    }

    /** The run of the stream that a query is a batch of; null if it is none. */
    static synchronized UUID runOf(Query query) {
        Stream stream = of(query.description);
        return stream == null ? null : stream.run;
    }

    /** Where the stream of a batch keeps what failed it. */
    static synchronized FailedPart failedPart(Query batch) {
        Stream stream = of(batch.description);
        return stream == null ? new FailedPart() : stream.failedPart;
    }

    private static Stream of(String description) {
        Matcher run = RUN.matcher(description);
        return run.find() ? OPEN.get(UUID.fromString(run.group(1))) : null;
    }

    /** A query has ended, perhaps one of a batch: Spark describes it by `orders id = … runId = … batch = 7`. */
    static synchronized void ended(String description, OpenLineageContext context) {
        Stream stream = of(description);
        if (stream != null && context.getOptimizedPlanOptional().isPresent()) {
            stream.wrote(context.getOptimizedPlan());
        }
    }

    /** The application ends, and its streams with it. */
    static synchronized void abort() {
        OPEN.values().forEach(stream -> Own.send(stream, EventType.ABORT, "the driver was ended"));
        OPEN.clear();
    }
}
