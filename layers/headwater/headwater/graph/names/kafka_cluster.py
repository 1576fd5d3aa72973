"""The name of a Kafka cluster."""


def kafka_namespace(bootstrap: str) -> str:
    """The namespace of a cluster by its list of bootstrap servers: the first of them. `PLAINTEXT://` may precede it.
    Empty for an empty list."""
    first = bootstrap.partition(",")[0].strip().rpartition("://")[2]
    return f"kafka://{first}" if first else ""
