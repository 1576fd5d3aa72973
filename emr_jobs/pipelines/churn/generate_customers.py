"""Generate customers: with their outcome (left or stayed) as CSV, or without an outcome as messages in a topic.

    generate_customers.py --output data/raw/churn
    generate_customers.py --bootstrap 127.0.0.1:9092 --topic customers --count 20

load_customers.py reads the CSV file, score_customers.py the topic. A topic needs kafka-python. New customers who call
support often mostly leave. The same arguments always give the same customers.
"""

import argparse
import csv
import json
import random
from collections.abc import Iterator
from pathlib import Path

COLUMNS = ("customer_id", "months", "support_calls", "churned")
NOISE = 0.1
"""The share of customers whose outcome is the opposite of their numbers."""

Customer = dict[str, str | int]


def customers(count: int, seed: int) -> Iterator[Customer]:
    draw = random.Random(seed)  # noqa: S311 - the same customers every time is the point
    for number in range(1, count + 1):
        months, calls = draw.randrange(60), draw.randrange(10)
        leaves = (calls * 6 > months) != (draw.random() < NOISE)
        yield dict(zip(COLUMNS, (f"C{number:05d}", months, calls, int(leaves)), strict=True))


def write_csv(rows: Iterator[Customer], file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def post(rows: Iterator[Customer], bootstrap: str, topic: str) -> None:
    """Post customers without their outcome, and return once the broker has all messages."""
    from kafka import KafkaProducer  # type: ignore[import-untyped] # noqa: PLC0415 - CSV files do without

    producer = KafkaProducer(bootstrap_servers=bootstrap)
    try:
        for customer in rows:
            producer.send(topic, json.dumps({name: customer[name] for name in COLUMNS[:-1]}).encode())
        producer.flush()
    finally:
        producer.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, help="folder for the CSV file")
    parser.add_argument("--bootstrap", help="Kafka's bootstrap servers, as host:port,host:port")
    parser.add_argument("--topic", help="the topic to post to; brokers may make it")
    parser.add_argument("--count", type=int, default=200, help="how many customers (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=7, help="another seed, other customers (default: %(default)s)")
    arguments = parser.parse_args()
    if arguments.output:
        write_csv(customers(arguments.count, arguments.seed), arguments.output / "customers.csv")
    elif arguments.bootstrap and arguments.topic:
        post(customers(arguments.count, arguments.seed), arguments.bootstrap, arguments.topic)
    else:
        parser.error("where to? --output, or --bootstrap and --topic")
    print(f"made {arguments.count} customers in {arguments.output or arguments.topic}")


if __name__ == "__main__":
    main()
