"""The use case of lookup: requests for parts of the graph, answered in the shapes of Marquez's API."""
