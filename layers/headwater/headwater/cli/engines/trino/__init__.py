"""Trino: statements on Iceberg tables, from the catalog tpch."""
