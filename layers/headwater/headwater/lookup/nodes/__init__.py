"""Lookups of jobs, datasets, runs, namespaces, sources and tags."""
