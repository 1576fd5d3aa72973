package headwater.spark;

import io.openlineage.client.OpenLineage;
import io.openlineage.client.OpenLineageClient;
import io.openlineage.client.OpenLineageClientException;
import io.openlineage.client.transports.TransportFactory;
import io.openlineage.client.utils.DatasetIdentifier;
import io.openlineage.spark.api.OpenLineageContext;
import java.net.URI;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** The agent's own events, sent in the background to where the listener sends its own. */
final class Own {
    static final OpenLineage OPEN_LINEAGE =
            new OpenLineage(URI.create("https://github.com/headwater-lineage/headwater/agent/spark"));

    private static final int MOST = 100; // events that wait; more are dropped
    private static final long FLUSH_MILLIS = 6_000;
    private static final long NAMED_MILLIS = 5_000;
    private static final int MESSAGE_CHARACTERS = 8_000;

    private static final BlockingQueue<Runnable> WAITING = new ArrayBlockingQueue<>(MOST);
    private static final AtomicInteger UNSENT = new AtomicInteger();
    private static Thread thread;
    private static OpenLineageClient client;

    private Own() {}

    /** Sends FAIL of the run of a query. */
    static void fail(Query query, String message, long millis, UUID told) {
        ZonedDateTime time = Instant.ofEpochMilli(millis).atZone(ZoneOffset.UTC);
        send(() -> {
            awaitName(query);
            if (!query.isAborted) {
                emit(query, OpenLineage.RunEvent.EventType.FAIL, message, time, RunFacets.failed(told));
            }
            Queries.finish(query);
        });
    }

    /** Sends ABORT of the run of a query that is open while the JVM ends. */
    static void abort(Query query) {
        query.isAborted = true;
        ZonedDateTime time = ZonedDateTime.now(ZoneOffset.UTC);
        send(() -> emit(query, OpenLineage.RunEvent.EventType.ABORT, "the driver was ended", time, null));
    }

    /** Waits until all events are sent, for some seconds at most. */
    static void flush() {
        long deadline = System.currentTimeMillis() + FLUSH_MILLIS;
        while (UNSENT.get() > 0 && System.currentTimeMillis() < deadline) {
            pause();
        }
    }

    private static synchronized void send(Runnable work) {
        if (thread == null) {
            thread = new Thread(Own::work, "headwater-spark");
            thread.setDaemon(true);
            thread.start();
        }
        if (WAITING.offer(work)) {
            UNSENT.incrementAndGet();
        }
    }

    private static void work() {
        while (true) {
            try {
                Runnable work = WAITING.take();
                Agent.guard(() -> deliver(work));
                UNSENT.decrementAndGet();
            } catch (InterruptedException interrupted) {
                return;
            }
        }
    }

    private static void deliver(Runnable work) {
        try {
            work.run();
        } catch (OpenLineageClientException unsent) {
            Agent.unsent(unsent);
        }
    }

    /**
     * Waits until the listener has named the job of a query, which it does when it builds the first event. With a circuit
     * breaker that is in another thread, else it has happened by now, or never will.
     */
    private static void awaitName(Query query) {
        OpenLineageContext application = Queries.application();
        boolean isLate = application != null && Scala.get(application.getOpenLineageConfig(), "getCircuitBreaker") != null;
        long deadline = System.currentTimeMillis() + (isLate ? NAMED_MILLIS : 0);
        while (!isNamed(query.context) && System.currentTimeMillis() < deadline) {
            pause();
        }
    }

    private static boolean isNamed(OpenLineageContext context) {
        return context != null && context.getJobName() != null;
    }

    private static void pause() {
        try {
            Thread.sleep(20);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Sends an event of the run of a query; of one that ran, and of which the listener sends nothing, a run of its own. */
    private static void emit(
            Query query,
            OpenLineage.RunEvent.EventType type,
            String message,
            ZonedDateTime time,
            OpenLineage.RunFacet failed) {
        OpenLineageContext application = Queries.application();
        boolean isReported = isNamed(query.context);
        boolean isOfApplication = isNamed(application) && application.getApplicationUuid() != null;
        if (!isReported && !(query.hasJobs && isOfApplication)) {
            return;
        }
        OpenLineageContext context = isReported ? query.context : application;
        OpenLineage.RunFacetsBuilder facets = OPEN_LINEAGE.newRunFacetsBuilder().errorMessage(error(query.explained(message)));
        if (failed != null) {
            facets.put("headwater_failed", failed);
        }
        Map<String, Object> runtime = Queries.runtime(query);
        if (!runtime.isEmpty()) {
            facets.put("headwater_runtime", RunFacets.facet(runtime));
        }
        if (!isReported) {
            facets.put("parent", RunFacets.facet(parent(application)));
        }
        String name = isReported ? context.getJobName() : context.getJobName() + "." + query.action();
        UUID run = isReported ? context.getRunUuid() : UUID.randomUUID();
        client(context).emit(event(context, type, time, run, facets, name, "BATCH").build());
    }

    /** Sends an event of a stream, below the application. */
    static void send(Stream stream, OpenLineage.RunEvent.EventType type, String message) {
        ZonedDateTime time = ZonedDateTime.now(ZoneOffset.UTC);
        OpenLineageContext application = Queries.application();
        if (!isNamed(application) || application.getApplicationUuid() == null) {
            return;
        }
        OpenLineage.RunFacetsBuilder facets = OPEN_LINEAGE.newRunFacetsBuilder();
        facets.put("parent", RunFacets.facet(parent(application)));
        facets.put("headwater_stream", RunFacets.facet(stream.progress()));
        if (message != null) {
            facets.errorMessage(error(message));
        }
        if (type == OpenLineage.RunEvent.EventType.FAIL) {
            facets.put("headwater_failed", RunFacets.failed(stream.failedPart.of(message)));
        }
        String name = application.getJobName() + "." + stream.name();
        OpenLineage.RunEventBuilder event = event(application, type, time, stream.run, facets, name, "STREAMING")
                .inputs(stream.inputs())
                .outputs(stream.outputs());
        send(() -> client(application).emit(event.build()));
    }

    /** Sends that a model was saved, as a run below the application; whether its sources are only candidates. */
    static void sendModel(
            DatasetIdentifier model,
            Set<DatasetIdentifier> sources,
            boolean areCandidates,
            List<Map<String, Object>> parameters) {
        ZonedDateTime time = ZonedDateTime.now(ZoneOffset.UTC);
        OpenLineageContext application = Queries.application();
        if (!isNamed(application) || application.getApplicationUuid() == null) {
            return;
        }
        OpenLineage ol = OPEN_LINEAGE;
        OpenLineage.RunFacetsBuilder facets = ol.newRunFacetsBuilder();
        facets.put("parent", RunFacets.facet(parent(application)));
        facets.put("headwater_inputs", RunFacets.facet(Collections.singletonMap("areCandidates", areCandidates)));
        facets.put("executionParameters", RunFacets.facet(Collections.singletonMap("parameters", parameters)));
        OpenLineage.DatasetFacet kind = ol.newDatasetFacet();
        kind.getAdditionalProperties().put("datasetType", "MODEL");
        kind.getAdditionalProperties().put("subType", "spark-ml");
        String name = application.getJobName() + "." + Models.nameOf(model.getName());
        List<OpenLineage.InputDataset> inputs = sources.stream()
                .map(each -> ol.newInputDatasetBuilder().namespace(each.getNamespace()).name(each.getName()).build())
                .collect(Collectors.toList());
        OpenLineage.OutputDataset output = ol.newOutputDatasetBuilder()
                .namespace(model.getNamespace())
                .name(model.getName())
                .facets(ol.newDatasetFacetsBuilder().put("datasetType", kind).build())
                .build();
        OpenLineage.RunEventBuilder event = event(
                        application, OpenLineage.RunEvent.EventType.COMPLETE, time, UUID.randomUUID(), facets, name, "BATCH")
                .inputs(inputs)
                .outputs(Collections.singletonList(output));
        send(() -> client(application).emit(event.build()));
    }

    /** Sends that the application lives. */
    static void beat() {
        send(OpenLineage.RunEvent.EventType.RUNNING, "headwater_heartbeat", RunFacets.heartbeat());
    }

    /** Sends ABORT of the application, which SIGTERM ends: the listener says COMPLETE. */
    static void abort() {
        send(OpenLineage.RunEvent.EventType.ABORT, "errorMessage", error("the driver was ended by SIGTERM"));
    }

    private static void send(OpenLineage.RunEvent.EventType type, String facet, OpenLineage.RunFacet value) {
        ZonedDateTime time = ZonedDateTime.now(ZoneOffset.UTC);
        OpenLineageContext application = Queries.application();
        if (!isNamed(application) || application.getApplicationUuid() == null) {
            return;
        }
        OpenLineage ol = OPEN_LINEAGE;
        OpenLineage.RunFacets facets = ol.newRunFacetsBuilder().put(facet, value).build();
        OpenLineage.RunEvent event = ol.newRunEventBuilder()
                .eventTime(time)
                .eventType(type)
                .run(ol.newRun(application.getApplicationUuid(), facets))
                .job(ol.newJob(namespace(application), application.getJobName(), ol.newJobFacetsBuilder().build()))
                .build();
        send(() -> client(application).emit(event));
    }

    private static OpenLineage.RunEventBuilder event(
            OpenLineageContext context,
            OpenLineage.RunEvent.EventType type,
            ZonedDateTime time,
            UUID run,
            OpenLineage.RunFacetsBuilder facets,
            String name,
            String processing) {
        OpenLineage ol = OPEN_LINEAGE;
        OpenLineage.JobFacet kind = ol.newJobFacet(); // newJobTypeJobFacet has other parameters in each version
        kind.getAdditionalProperties().put("processingType", processing);
        kind.getAdditionalProperties().put("integration", "SPARK");
        kind.getAdditionalProperties().put("jobType", "SQL_JOB");
        return ol.newRunEventBuilder()
                .eventTime(time)
                .eventType(type)
                .run(ol.newRun(run, facets.build()))
                .job(ol.newJob(namespace(context), name, ol.newJobFacetsBuilder().put("jobType", kind).build()));
    }

    static OpenLineage.ErrorMessageRunFacet error(String message) {
        return OPEN_LINEAGE.newErrorMessageRunFacet(start(message), "JAVA", null);
    }

    /** As much of a message as is looked at: it may hold rows. */
    static String start(String message) {
        return message.substring(0, Math.min(message.length(), MESSAGE_CHARACTERS));
    }

    private static Map<String, Object> parent(OpenLineageContext application) {
        Map<String, Object> job = new LinkedHashMap<>();
        job.put("namespace", namespace(application));
        job.put("name", application.getJobName());
        Map<String, Object> parent = new LinkedHashMap<>();
        parent.put("run", Collections.singletonMap("runId", application.getApplicationUuid()));
        parent.put("job", job);
        return parent;
    }

    private static String namespace(OpenLineageContext context) {
        return context.getOpenLineageConfig().getNamespace();
    }

    private static synchronized OpenLineageClient client(OpenLineageContext context) {
        if (client == null) {
            client = OpenLineageClient.builder()
                    .transport(new TransportFactory(context.getOpenLineageConfig().getTransportConfig()).build())
                    .build();
        }
        return client;
    }
}
