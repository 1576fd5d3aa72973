"""The HTTP API: requests, responses, the router, paging, and nodes in the form of Marquez's API."""
