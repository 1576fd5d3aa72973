"""The Glue Data Catalog, kept in step with the graph, and what it knows of tables told to the graph."""
