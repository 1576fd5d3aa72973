"""States: jobs, datasets, runs and what is stored beside them, each a join of events."""
