"""The use case of lookup: requests for parts of the graph. The responses have the form of Marquez's API."""
