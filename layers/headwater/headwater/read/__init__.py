"""The read model that alerts, catalog, curate and lookup share: nodes, their versions, runs and activity."""
