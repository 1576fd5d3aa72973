"""Runs a PySpark program on this machine like on a cluster: `headwater submit PROGRAM ARGUMENTS`.

The listener reports to the server that every command finds (docs/command-line.md, Which server). Iceberg, Delta and the
Kafka connector are on the class path, and headwater.spark on the Python path. Spark's output goes to the terminal
unchanged.

Before Spark starts, the doctor's canary is posted as the listener will post: to the same URL and path, with the same
key, in the same namespace. A fault that keeps the graph empty is printed with its fix, and Spark is not started.
Otherwise `submit` prints one line on the standard error before Spark's output, and one line after:

    headwater: the canary was found in the graph and taken out; clean_orders.py reports to URL in demo
    headwater: events taken: 6; refused or lost: 0; see `headwater lineage dataset:file:/tmp/lake/orders_clean`

Taken are the events that the server has of this submission (submission.py), refused or lost those that Spark's output
names (listener_log.py). A number that cannot be known is not guessed: the line says why.

exit status    means
Spark's own    Spark failed, or a signal ended it (128 + the number of the signal)
0              Spark went well, and no event was seen refused or lost
1              Spark was not started: a fault keeps the graph empty, or a jar, Java or deployment is missing
2              a wrong command line
3              Spark went well, but events were refused or lost
"""
