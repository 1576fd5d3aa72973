"""Write raw orders as a shop system would export them: a CSV file with a header, and a few bad rows.

The file `_columns.ddl` beside the export has the columns with their types, for clean_orders.py --columns. The same
arguments always give the same bytes: runs of the pipeline can be compared. With --drift the export has the schema of
the shop's next release, unannounced: prices in whole cents, and no status.
"""

import argparse
import csv
import random
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

COLUMNS = {
    "order_id": "string",
    "customer_id": "string",
    "product": "string",
    "quantity": "int",
    "unit_price": "decimal(8,2)",
    "status": "string",
    "ordered_at": "string",
}
DRIFTED = {name: kind for name, kind in COLUMNS.items() if name != "status"} | {"unit_price": "int"}
PRODUCTS = {"kettle": 34.90, "lamp": 59.00, "notebook": 4.25, "rucksack": 89.50, "teapot": 27.80}
STATUSES = ("completed", "completed", "completed", "returned", "open")
BAD_ROW_EVERY = 40
FIRST_DAY = datetime(2026, 1, 1, tzinfo=UTC)

Row = dict[str, str]


def raw_orders(count: int, days: int, seed: int) -> Iterator[Row]:
    """Yield `count` orders over `days` days from 2026-01-01 on; every 40th is bad."""
    draw = random.Random(seed)  # noqa: S311 - the same orders every time is the point
    for number in range(1, count + 1):
        row = good_order(number, days, draw)
        yield spoilt(row, draw) if number % BAD_ROW_EVERY == 0 else row


def good_order(number: int, days: int, draw: random.Random) -> Row:
    product = draw.choice(sorted(PRODUCTS))
    ordered_at = FIRST_DAY + timedelta(days=draw.randrange(days), seconds=draw.randrange(86_400))
    return {
        "order_id": f"O{number:07d}",
        "customer_id": f"C{draw.randrange(1, 500):05d}",
        "product": product,
        "quantity": str(draw.randrange(1, 6)),
        "unit_price": f"{PRODUCTS[product]:.2f}",
        "status": draw.choice(STATUSES),
        "ordered_at": ordered_at.strftime("%Y-%m-%d %H:%M:%S"),
    }


def spoilt(row: Row, draw: random.Random) -> Row:
    """Return the row with one of the faults of real exports."""
    fault = draw.choice(({"quantity": ""}, {"unit_price": "n/a"}, {"quantity": "-1"}, {"ordered_at": "2026-02-31"}))
    return row | fault


def drifted(row: Row) -> Row:
    """Return the row as the shop's next release exports it: the price in cents, unless it is not a number."""
    return {name: row[name] for name in DRIFTED} | {"unit_price": row["unit_price"].replace(".", "")}


def write_csv(rows: Iterator[Row], columns: Iterable[str], file: Path) -> int:
    """Write the rows under a header and return how many there were; missing folders are made."""
    file.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(columns), lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow(row)
            written += 1
    return written


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", required=True, type=Path, help="folder for the CSV file, e.g. data/raw/orders")
    parser.add_argument("--count", type=int, default=2_000, help="how many orders (default: %(default)s)")
    parser.add_argument("--days", type=int, default=14, help="over how many days (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=7, help="another seed, other orders (default: %(default)s)")
    parser.add_argument("--drift", action="store_true", help="export as the shop's next release does")
    arguments = parser.parse_args()
    file = arguments.output / "orders.csv"
    rows = raw_orders(arguments.count, arguments.days, arguments.seed)
    columns = DRIFTED if arguments.drift else COLUMNS
    written = write_csv(map(drifted, rows) if arguments.drift else rows, columns, file)
    file.with_name("_columns.ddl").write_text(", ".join(f"{name} {kind}" for name, kind in columns.items()) + "\n")
    print(f"wrote {written} orders to {file}")


if __name__ == "__main__":
    main()
