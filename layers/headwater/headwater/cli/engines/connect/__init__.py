"""Kafka Connect: a source, a sink, and a sink that fails, on a worker and a broker of this machine."""
