"""The use case of ingest: from a request to messages that are safe in the queue."""
