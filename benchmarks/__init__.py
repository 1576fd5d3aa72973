"""What lookups cost as the graph grows: `python -m benchmarks.lookups --help`."""
