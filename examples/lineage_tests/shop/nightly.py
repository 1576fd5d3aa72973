"""All jobs of a night, in their order."""

from pyspark.sql import SparkSession

from shop.accounting import accounting_export
from shop.bestsellers import bestsellers
from shop.customers import pseudonymous_customers
from shop.loyalty import loyal_customers
from shop.mailing import mailing
from shop.net_revenue import net_revenue
from shop.orders import clean_orders
from shop.products import current_products
from shop.refunds import refunds
from shop.revenue import daily_revenue


def run(spark: SparkSession, raw: str, lake: str) -> None:
    """Reads the exports in the folder `raw`, and writes the tables in the folder `lake`."""
    pseudonymous_customers(spark, f"{raw}/customers.csv", f"{lake}/customers")
    clean_orders(spark, f"{raw}/orders.csv", f"{lake}/orders")
    current_products(spark, f"{raw}/products.csv", f"{lake}/products")
    daily_revenue(spark, f"{lake}/orders", f"{lake}/customers", f"{lake}/revenue")
    refunds(spark, f"{raw}/returns.csv", f"{lake}/orders", f"{lake}/refunds")
    net_revenue(spark, f"{lake}/revenue", f"{lake}/refunds", f"{lake}/net_revenue")
    loyal_customers(spark, f"{lake}/orders", f"{lake}/loyalty")
    bestsellers(spark, f"{raw}/lines.csv", f"{lake}/products", f"{lake}/bestsellers")
    mailing(spark, f"{raw}/subscribers.csv", f"{lake}/customers", f"{lake}/mailing")
    accounting_export(spark, f"{lake}/net_revenue", f"{lake}/accounting")
