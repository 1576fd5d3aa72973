"""The revenue of a shop by country: three statements of SQL, one after another."""

from datetime import datetime

from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
from airflow.sdk import DAG

LOAD = """
DROP TABLE IF EXISTS revenue, paid_orders, orders, customers CASCADE;
CREATE TABLE customers (customer_id integer, name text, country text);
CREATE TABLE orders (order_id integer, customer_id integer, amount numeric, status text);
CREATE TABLE revenue (country text, revenue numeric, orders bigint);
INSERT INTO customers VALUES (1, 'Ada', 'GB'), (2, 'Blaise', 'FR');
INSERT INTO orders VALUES (10, 1, 19.90, 'paid'), (11, 2, 5.00, 'cancelled'), (12, 2, 7.50, 'paid');
"""
PAID = """
CREATE TABLE paid_orders AS
SELECT o.order_id, c.country, o.amount
FROM orders o JOIN customers c ON c.customer_id = o.customer_id
WHERE o.status = 'paid'
"""
REVENUE = "INSERT INTO revenue SELECT country, sum(amount), count(*) FROM paid_orders GROUP BY country"

with DAG("shop", schedule="@daily", start_date=datetime(2026, 11, 1), catchup=False, default_args={"owner": "finance"}):
    tasks = [
        SQLExecuteQueryOperator(task_id=name, conn_id="shop", sql=sql)
        for name, sql in {"load": LOAD, "paid_orders": PAID, "revenue": REVENUE}.items()
    ]
    tasks[0] >> tasks[1] >> tasks[2]
