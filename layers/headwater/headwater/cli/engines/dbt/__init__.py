"""dbt on DuckDB: a project of two seeds, five models and their tests."""
