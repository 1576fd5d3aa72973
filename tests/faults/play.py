"""Plays many scenes, and prints the seed of each that does not end as without faults: `python -m tests.faults.play`.

--scenes 2000   the number of scenes
--seed 0        the seed of the first; the next scene has the next seed
"""

import argparse
import logging
import sys
from collections import Counter

from tests.faults.scenes import differences

MOST = 10
"""Differences of a scene that are printed."""


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--scenes", type=int, default=2_000)
    options.add_argument("--seed", type=int, default=0)
    chosen = options.parse_args()
    logging.disable(logging.CRITICAL)  # the functions log each fault
    injected: Counter[str] = Counter()
    failed: list[int] = []
    for seed in range(chosen.seed, chosen.seed + chosen.scenes):
        wrong, faults = differences(seed)
        injected.update(faults)
        if wrong:
            failed.append(seed)
            print(f"seed {seed}: {len(wrong)} differences", *wrong[:MOST], sep="\n  ", flush=True)
    print(f"{chosen.scenes} scenes from seed {chosen.seed} on, {injected.total()} faults:")
    print(*(f"  {count:7} {name}" for name, count in sorted(injected.items())), sep="\n")
    print(f"{len(failed)} scenes failed; repeat one with --scenes 1 --seed {failed[0]}" if failed else "all went well")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
