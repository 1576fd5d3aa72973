package headwater.spark;

import io.openlineage.client.OpenLineage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.SparkContext;

/** Where the application runs, as the service that runs it calls it: EMR, EMR Serverless or Glue. */
final class JobRun {
    private static final Pattern STEP = Pattern.compile("s-[0-9A-Z]+");
    private static final String OF_NODE = "/mnt/var/lib/info/"; // what a node of EMR knows of its cluster, also in cluster mode

    private JobRun() {}

    /**
     * Adds the facet externalQuery with the step or job run, by which the run is found, and headwater_environment with the
     * cluster and the release; none of what no service names.
     */
    static void tell(SparkContext spark, BiConsumer<String, ? super OpenLineage.RunFacet> facets) {
        tell(spark.getConf().get("spark.glue.JOB_RUN_ID", null), "Glue", facets);
        tell(System.getenv("SERVERLESS_EMR_JOB_ID"), "EMR Serverless", facets);
        tell(step(), "EMR", facets);
        Map<String, Object> environment = new LinkedHashMap<>();
        String glue = spark.getConf().get("spark.glue.GLUE_VERSION", null);
        put(environment, "cluster", System.getenv("SERVERLESS_EMR_VIRTUAL_CLUSTER_ID"));
        put(environment, "cluster", System.getenv("EMR_CLUSTER_ID"));
        put(environment, "cluster", ofNode("job-flow.json", "jobFlowId"));
        put(environment, "release", glue == null ? null : "Glue " + glue);
        put(environment, "release", System.getenv("EMR_RELEASE_LABEL"));
        put(environment, "release", ofNode("extraInstanceData.json", "releaseLabel"));
        if (!environment.isEmpty()) {
            facets.accept("headwater_environment", RunFacets.facet(environment));
        }
    }

    private static void tell(String id, String service, BiConsumer<String, ? super OpenLineage.RunFacet> facets) {
        if (id != null && !id.isEmpty()) {
            facets.accept("externalQuery", Own.OPEN_LINEAGE.newExternalQueryRunFacet(id, service));
        }
    }

    private static void put(Map<String, Object> environment, String member, String value) {
        if (value != null && !value.isEmpty()) {
            environment.putIfAbsent(member, value);
        }
    }

    /** EMR runs a step in a folder of the step's name: /mnt/var/lib/hadoop/steps/s-07767992IY7VC5NVV854. */
    private static String step() {
        Path folder = Paths.get(System.getProperty("user.dir", "")).getFileName();
        return folder != null && STEP.matcher(folder.toString()).matches() ? folder.toString() : null;
    }

    /** A text in a JSON file of a node of EMR; null elsewhere, and if the user may not read it. */
    private static String ofNode(String file, String member) {
        try {
            String json = new String(Files.readAllBytes(Paths.get(OF_NODE, file)), StandardCharsets.UTF_8);
            Matcher found = Pattern.compile('"' + member + "\"\\s*:\\s*\"([^\"]+)\"").matcher(json);
            return found.find() ? found.group(1) : null;
        } catch (IOException absent) {
            return null;
        }
    }
}
