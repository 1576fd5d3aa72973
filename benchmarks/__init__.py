"""The cost of lookups on growing graphs: `python -m benchmarks.lookups --help`."""
