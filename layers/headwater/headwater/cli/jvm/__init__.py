"""Spark as on a cluster: Java, pinned jars, spark-submit with the OpenLineage listener; and Kafka beside it."""
