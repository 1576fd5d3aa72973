"""Flink: three streaming jobs on Kafka, in SQL and of the DataStream API."""
