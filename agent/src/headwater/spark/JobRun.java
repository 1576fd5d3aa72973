package headwater.spark;

import io.openlineage.client.OpenLineage;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.apache.spark.SparkContext;

/** How the service that runs the application calls it: a step of EMR, a job run of EMR Serverless or of Glue. */
final class JobRun {
    private static final Pattern STEP = Pattern.compile("s-[0-9A-Z]+");

    private JobRun() {}

    /** Adds the facet externalQuery, by which the run is found by that id; none where no service names it. */
    static void tell(SparkContext spark, BiConsumer<String, ? super OpenLineage.RunFacet> facets) {
        tell(spark.getConf().get("spark.glue.JOB_RUN_ID", null), "Glue", facets);
        tell(System.getenv("SERVERLESS_EMR_JOB_ID"), "EMR Serverless", facets);
        tell(step(), "EMR", facets);
    }

    private static void tell(String id, String service, BiConsumer<String, ? super OpenLineage.RunFacet> facets) {
        if (id != null && !id.isEmpty()) {
            facets.accept("externalQuery", Own.OPEN_LINEAGE.newExternalQueryRunFacet(id, service));
        }
    }

    /** EMR runs a step in a folder of the step's name: /mnt/var/lib/hadoop/steps/s-07767992IY7VC5NVV854. */
    private static String step() {
        Path folder = Paths.get(System.getProperty("user.dir", "")).getFileName();
        return folder != null && STEP.matcher(folder.toString()).matches() ? folder.toString() : null;
    }
}
