"""Packs this release for the tests of the next: `python -m tests.store.pack_release 0.2.0`.

It takes the place of the release before: name it in BEFORE of test_two_releases.py.
"""

import sys
import tarfile
from pathlib import Path

from tests.store.test_two_releases import RELEASES, ROOT


def _plain(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    if "__pycache__" in entry.name or entry.name.partition("/")[2].startswith(
        ("cli", "serve", "spark", "web_files/built", "web_files/jars")
    ):
        return None
    entry.mtime = entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def main(version: str) -> Path:
    for former in RELEASES.glob("*.tar.xz"):
        former.unlink()
    path = RELEASES / f"{version}.tar.xz"
    with tarfile.open(path, "w:xz", preset=9) as archive:
        archive.add(ROOT / "layers" / "headwater" / "headwater", "headwater", filter=_plain)
        archive.add(ROOT / "tests" / "store" / "worker_of_release.py", "worker_of_release.py", filter=_plain)
        archive.add(ROOT / "functions", "functions", filter=_plain)
    return path


if __name__ == "__main__":
    print(main(sys.argv[1]))  # noqa: T201
