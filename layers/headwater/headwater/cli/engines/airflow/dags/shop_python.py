"""A Python task that fails, after a Bash task, before one that is never run."""

from datetime import datetime

from airflow.providers.standard.operators.bash import BashOperator
from airflow.providers.standard.operators.python import PythonOperator
from airflow.sdk import DAG


def price_of(order: dict[str, str]) -> float:
    return float(order["price"])


def price_orders() -> float:
    return sum(price_of(order) for order in [{"price": "5.00"}, {"amount": "19.90"}])


with DAG(
    "shop_python", schedule="@daily", start_date=datetime(2026, 11, 1), catchup=False, default_args={"owner": "orders"}
):
    fetch = BashOperator(task_id="fetch_orders", bash_command="echo 2 orders")
    price = PythonOperator(task_id="price_orders", python_callable=price_orders, retries=1, retry_delay=1)
    store = BashOperator(task_id="store_orders", bash_command="echo stored")
    fetch >> price >> store
