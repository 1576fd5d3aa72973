"""Measurements: `make bench`, `bench-cold`, `bench-spark`, `cost` and `simulate`."""
