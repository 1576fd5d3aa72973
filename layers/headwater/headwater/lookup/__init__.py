"""The use case of lookup: questions about the graph, answered in the shapes of Marquez's API."""
