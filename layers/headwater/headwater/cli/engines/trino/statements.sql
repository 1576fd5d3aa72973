CREATE SCHEMA lake.shop;
CREATE TABLE lake.shop.orders AS
  SELECT orderkey AS order_id, custkey AS customer_id, orderstatus AS status, totalprice, orderdate AS ordered_on FROM tpch.tiny.orders;
CREATE TABLE lake.shop.customers AS
  SELECT custkey AS customer_id, name, mktsegment AS segment FROM tpch.tiny.customer;
CREATE TABLE lake.shop.revenue AS
  SELECT c.segment, sum(o.totalprice) AS revenue, count(*) AS orders
  FROM lake.shop.orders o JOIN lake.shop.customers c ON c.customer_id = o.customer_id WHERE o.status = 'F' GROUP BY c.segment;
UPDATE lake.shop.orders SET totalprice = totalprice * 1.1 WHERE status = 'P';
INSERT INTO lake.shop.revenue (segment, revenue)
  SELECT c.segment, sum(o.totalprice)
  FROM lake.shop.orders o JOIN lake.shop.customers c ON c.customer_id = o.customer_id WHERE o.status = 'P' GROUP BY c.segment;
INSERT INTO lake.shop.revenue (segment, orders) SELECT segment, CAST(segment AS bigint) FROM lake.shop.customers;
