"""Post orders to a Kafka topic, as a shop's checkout would: one JSON message per order. Needs kafka-python.

The same arguments always give the same messages.
"""

import argparse
import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from kafka import KafkaProducer  # type: ignore[import-untyped]

PRODUCTS = {"kettle": "34.90", "lamp": "59.00", "notebook": "4.25", "rucksack": "89.50", "teapot": "27.80"}
FIRST = datetime(2026, 1, 1, tzinfo=UTC)


def orders(count: int, start: int, seed: int) -> Iterator[dict[str, str | int]]:
    draw = random.Random(seed)  # noqa: S311 - the same orders every time is the point
    for number in range(start, start + count):
        product = draw.choice(sorted(PRODUCTS))
        yield {
            "order_id": f"O{number:07d}",
            "product": product,
            "quantity": draw.randrange(1, 6),
            "unit_price": PRODUCTS[product],
            "ordered_at": (FIRST + timedelta(seconds=draw.randrange(86_400))).strftime("%Y-%m-%dT%H:%M:%SZ"),
        }


def post(bootstrap: str, topic: str, messages: Iterator[dict[str, str | int]]) -> None:
    """Post messages, and return once the broker has all messages."""
    producer = KafkaProducer(bootstrap_servers=bootstrap)
    try:
        for message in messages:
            producer.send(topic, json.dumps(message).encode())
        producer.flush()
    finally:
        producer.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bootstrap", required=True, help="Kafka's bootstrap servers, as host:port,host:port")
    parser.add_argument("--topic", required=True, help="the topic to post to; brokers may make it")
    parser.add_argument("--count", type=int, default=200, help="how many orders (default: %(default)s)")
    parser.add_argument("--start", type=int, default=1, help="number of the first order (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=7, help="another seed, other orders (default: %(default)s)")
    arguments = parser.parse_args()
    post(arguments.bootstrap, arguments.topic, orders(arguments.count, arguments.start, arguments.seed))
    print(f"posted {arguments.count} orders to {arguments.topic}")


if __name__ == "__main__":
    main()
