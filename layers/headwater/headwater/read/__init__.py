"""The read model of alerts, catalog, curate and lookup: nodes, neighbourhoods, schema changes, runs and activity."""
