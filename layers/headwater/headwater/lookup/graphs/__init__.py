"""Lookups of lineage graphs, and of what follows from them: impact and root cause."""
