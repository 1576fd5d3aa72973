"""Flink: a schema is the table's definition, and there is no column lineage.

The listener reports the end of a job, and heartbeats until then, only with `openlineage.enableDetachedJobTracking`.
Without it, START is usually all it ever sends.
"""

from headwater.graph.producers.producer import Producer, Strength

FLINK = Producer(
    "flink",
    inputs=Strength.COMPLETE,
    outputs=Strength.COMPLETE,
    reports_indirect=False,
    reports_ends=False,
    runs_queries=True,
)
