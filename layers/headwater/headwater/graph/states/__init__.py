"""States: jobs, datasets, runs and what is stored with them, each a join of events."""
