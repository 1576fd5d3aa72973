"""Keeps the Glue Data Catalog in step with the graph, and imports the descriptions of its tables."""
