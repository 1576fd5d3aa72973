"""Algorithms over the read model: lineage, column lineage, impact, root cause, roll-up. Nothing of HTTP."""
