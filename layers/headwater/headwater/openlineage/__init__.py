"""OpenLineage as sent: bodies of requests, exact JSON, events, faults, times."""
