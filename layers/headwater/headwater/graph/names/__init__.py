"""Names and ids: which names mean the same node, and the id of a node."""
