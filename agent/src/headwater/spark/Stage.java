package headwater.spark;

import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** The tasks of a stage: median and maximum of their times and of the bytes that they read. */
final class Stage {
    private static final int MOST = 5_000; // tasks of which the medians are made; the maxima are of all tasks

    private final int id;
    private int tasks;
    private long[] times = new long[8];
    private long[] bytes = new long[8];
    private long maxTime;
    private long maxBytes;
    private long readBytes;
    private String operation;
    private final Map<Integer, Long> failed = new HashMap<>(); // by task, the most that an attempt read: the next reads the same

    Stage(int id) {
        this.id = id;
    }

    void task(int index, long time, long read, boolean isGood) {
        if (tasks == times.length && tasks < MOST) {
            times = Arrays.copyOf(times, Math.min(MOST, 2 * tasks));
            bytes = Arrays.copyOf(bytes, times.length);
        }
        if (tasks < times.length) {
            times[tasks] = time;
            bytes[tasks] = read;
        }
        maxTime = Math.max(maxTime, time);
        maxBytes = Math.max(maxBytes, read);
        if (isGood) {
            readBytes += read;
            failed.remove(index);
        } else if (failed.size() < MOST || failed.containsKey(index)) {
            failed.merge(index, read, Math::max);
        }
        tasks++;
    }

    /** Says what the stage does; null if it is not known. */
    void does(String what) {
        operation = what;
    }

    Map<String, Object> facet() {
        Map<String, Object> facet = new LinkedHashMap<>();
        facet.put("stage", id);
        if (operation != null) {
            facet.put("operation", operation);
        }
        facet.put("tasks", tasks);
        facet.put("medianSeconds", median(times) / 1000.0);
        facet.put("maxSeconds", maxTime / 1000.0);
        facet.put("medianBytes", median(bytes));
        facet.put("maxBytes", maxBytes);
        facet.put("bytes", readBytes + failed.values().stream().mapToLong(Long::longValue).sum());
        return facet;
    }

    private long median(long[] values) {
        long[] sorted = Arrays.copyOf(values, Math.min(tasks, values.length));
        Arrays.sort(sorted);
        return sorted[(sorted.length - 1) / 2];
    }
}
