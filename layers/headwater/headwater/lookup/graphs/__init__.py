"""Lookups of graphs: lineage, column lineage, impact, root cause and run lineage."""
