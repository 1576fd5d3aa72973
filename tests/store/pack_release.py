"""Packs the release of a tag for the tests of the next: `python -m tests.store.pack_release 0.2.0` packs `v0.2.0`.

It takes the place of the release before: name it in BEFORE of test_two_releases.py.
"""

import io
import subprocess
import sys
import tarfile
from pathlib import Path

from tests.store.test_two_releases import RELEASES, ROOT

PACKED = ("layers/headwater/headwater", "tests/store/worker_of_release.py", "functions")
LEFT_OUT = tuple(f"headwater/{name}" for name in ("cli", "serve", "spark"))


def main(version: str) -> Path:
    command = ["git", "archive", f"v{version}", *PACKED]
    tagged = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout  # noqa: S603
    for former in RELEASES.glob("*.tar.xz"):
        former.unlink()
    path = RELEASES / f"{version}.tar.xz"
    with tarfile.open(fileobj=io.BytesIO(tagged)) as tree, tarfile.open(path, "w:xz", preset=9) as archive:
        for entry in tree:
            entry.name = entry.name.removeprefix("layers/headwater/").removeprefix("tests/store/")
            if entry.isfile() and not entry.name.startswith(LEFT_OUT):
                archive.addfile(entry, tree.extractfile(entry))
    return path


if __name__ == "__main__":
    print(main(sys.argv[1]))  # noqa: T201
