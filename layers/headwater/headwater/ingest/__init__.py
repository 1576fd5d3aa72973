"""The use case of ingest: requests with events become messages in the queue."""
