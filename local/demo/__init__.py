"""`make demo`: a Spark pipeline on a fresh stack, its lineage, and the alert of a schema change."""
