"""Write customers, and updates of them, as a shop system would export them: two folders with a CSV file.

customers_iceberg.py and accounts_delta.py read the files. Some customers have no country; every third update is about a
new customer. The same arguments always give the same bytes.
"""

import argparse
import csv
import random
from collections.abc import Iterable, Iterator
from pathlib import Path

COLUMNS = ("customer_id", "name", "country", "spent")
NAMES = ("Ann", "Bob", "Cid", "Dee", "Eve", "Fay", "Gus", "Zoe")
COUNTRIES = ("DE", "FR", "IT", "US", "")

Row = tuple[str, str, str, str]


def customers(count: int, seed: int, first: int = 1) -> Iterator[Row]:
    draw = random.Random(seed + first)  # noqa: S311 - the same customers every time is the point
    for number in range(first, first + count):
        yield f"C{number:05d}", draw.choice(NAMES), draw.choice(COUNTRIES), f"{draw.randrange(100_000) / 100:.2f}"


def updates(count: int, seed: int) -> Iterator[Row]:
    """Yield one update for every two customers: of the customers with the highest numbers, and of new customers."""
    many = max(1, count // 2)
    yield from customers(many, seed, first=count - many * 2 // 3 + 1)


def write_csv(rows: Iterable[Row], file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream, lineterminator="\n").writerows([COLUMNS, *rows])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raw", required=True, type=Path, help="folder for the customers")
    parser.add_argument("--updates", required=True, type=Path, help="folder for what is known of them later")
    parser.add_argument("--count", type=int, default=60, help="how many customers (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=7, help="another seed, other customers (default: %(default)s)")
    arguments = parser.parse_args()
    write_csv(customers(arguments.count, arguments.seed), arguments.raw / "customers.csv")
    write_csv(updates(arguments.count, arguments.seed), arguments.updates / "updates.csv")
    print(f"wrote {arguments.count} customers to {arguments.raw}, and updates to {arguments.updates}")


if __name__ == "__main__":
    main()
