"""Storage: the graph store that use cases see; behind it keys, items, and the adapters of AWS services."""
