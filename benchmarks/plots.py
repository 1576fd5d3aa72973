"""Draws the results of `benchmarks.side_by_side`: `python -m benchmarks.plots FOLDER` draws those without a picture.

Runs in an environment of its own, which has matplotlib.
"""

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl  # type: ignore[import-not-found]

mpl.use("svg")
from matplotlib import pyplot as plt


def main() -> None:
    for path in sorted(Path(sys.argv[1]).glob("*-jobs.json")):
        picture = path.with_suffix(".svg")
        if not picture.exists():
            draw(json.loads(path.read_text(encoding="utf-8")), picture)
            print(f"written: {picture}")  # noqa: T201


def draw(document: dict[str, Any], picture: Path) -> None:
    """Two panels: the events a second, and the milliseconds of each lookup, on a logarithmic scale."""
    servers = document["servers"]
    figure, (above, below) = plt.subplots(2, 1, figsize=(9, 8), height_ratios=(1, 3), layout="constrained")
    names = [server["name"] for server in servers]
    above.barh(names, [server["ingestion"]["visible_a_second"] for server in servers], color="C0")
    above.set_title(f"events taken and visible a second ({document['load']['jobs']:,} jobs)")
    above.invert_yaxis()
    calls = list(servers[0]["lookups"])
    height = 0.8 / len(servers)
    for number, server in enumerate(servers):
        places = [place + number * height for place in range(len(calls))]
        below.barh(places, [server["lookups"][call]["p50"] for call in calls], height, label=server["name"])
    below.set_yticks([place + 0.4 - height / 2 for place in range(len(calls))], calls)
    below.set_xscale("log")
    below.set_title("milliseconds of a lookup (median, logarithmic)")
    below.invert_yaxis()
    below.legend()
    figure.savefig(picture)
    plt.close(figure)


if __name__ == "__main__":
    main()
