"""Draws the results of `benchmarks.side_by_side` and `benchmarks.simulation`.

`python -m benchmarks.plots FOLDER` draws those without a picture.

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
    for path in sorted(Path(sys.argv[1]).glob("*.json")):
        kind = next((kind for kind in DRAWINGS if path.stem.endswith(kind)), None)
        picture = path.with_suffix(".svg")
        if kind and not picture.exists():
            DRAWINGS[kind](json.loads(path.read_text(encoding="utf-8")), picture)
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


def draw_simulation(document: dict[str, Any], picture: Path) -> None:
    """The load of each part of the stack by events a second, events one at a time, with a line where a part breaks."""
    figure, axes = plt.subplots(figsize=(10, 7), layout="constrained")
    for number, part in enumerate(document["profiles"][0]["parts"]):
        rates = [float(rate) for rate in part["load"]]
        style = ("-", "--", ":")[number // 10 % 3]
        axes.plot(rates, list(part["load"].values()), style, color=f"C{number % 10}", label=part["part"])
    axes.axhline(1, color="black", linewidth=2)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(0.01, 10)
    axes.set_xlabel("events a second")
    axes.set_title("load of each part, as a share of its limit: above the black line it breaks")
    axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    figure.savefig(picture)
    plt.close(figure)


DRAWINGS = {"-jobs": draw, "-simulation": draw_simulation}
"""How a result is drawn, by the end of its name."""

if __name__ == "__main__":
    main()
