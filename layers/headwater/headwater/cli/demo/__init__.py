"""`headwater demo`: the incident of the orders, from the recorded events of a Spark pipeline (orders.jsonl.gz)."""
