"""Flink: a schema is the table's definition, and there is no column lineage.

The listener tells the end of a job with `openlineage.enableDetachedJobTracking` alone, and sends signs of life then.
Without this setting, START is mostly all that it ever sends.
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
