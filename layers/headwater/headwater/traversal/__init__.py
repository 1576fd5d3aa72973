"""Algorithms on the read model: lineage, column lineage, impact, root cause, roll-up. Independent of HTTP."""
