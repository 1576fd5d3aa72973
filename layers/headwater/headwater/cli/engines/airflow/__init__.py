"""Airflow: a DAG of SQL on Postgres, and a DAG of Python."""
