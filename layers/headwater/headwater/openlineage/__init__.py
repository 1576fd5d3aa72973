"""The wire: bodies, exact JSON, events and their faults. Knows nothing of storage or of AWS."""
