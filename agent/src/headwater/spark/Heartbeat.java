package headwater.spark;

import java.util.Timer;
import java.util.TimerTask;

/** Tells every five minutes that the application lives: nothing reports the end of a killed driver. */
final class Heartbeat {
    static final long MILLIS = 300_000;

    private static Timer timer;

    private Heartbeat() {}

    static synchronized void start() {
        stop();
        timer = new Timer("headwater-spark heartbeat", true);
        timer.schedule(
                new TimerTask() {
                    @Override
                    public void run() {
                        Agent.guard(Own::beat);
                    }
                },
                MILLIS,
                MILLIS);
    }

    static synchronized void stop() {
        if (timer != null) {
            timer.cancel();
        }
    }
}
