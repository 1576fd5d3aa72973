"""A Python environment of an engine, kept in .local: its packages clash with those of Headwater."""

import subprocess
from pathlib import Path

from local.failure import Failure
from local.layout import Layout
from local.progress import Say


def bin_folder(layout: Layout, name: str, say: Say) -> Path:
    """Return the folder of the programs of requirements/try_NAME.txt, installed on first use. Raises Failure."""
    requirements = layout.root / "requirements" / f"try_{name}.txt"
    pins = requirements.read_text(encoding="utf-8")
    environment = layout.run("try") / name
    installed = environment / "installed.txt"
    if not installed.is_file() or installed.read_text(encoding="utf-8") != pins:
        say(f"installing {pins.count('==')} Python packages for {name}, once")
        uv(layout, "venv", "--allow-existing", "--python", layout.uv.parent / "python", environment)
        python = environment / "bin" / "python"
        uv(layout, "pip", "sync", "--require-hashes", "--python", python, requirements)
        installed.write_text(pins, encoding="utf-8")
    return environment / "bin"


def uv(layout: Layout, *arguments: str | Path) -> None:
    try:
        subprocess.run([layout.uv, *arguments, "--quiet"], check=True, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise Failure("uv is not in .local", "run `make demo` once, which installs it") from error
    except subprocess.CalledProcessError as error:
        reason = f"the packages could not be installed:\n{error.stderr.strip()}"
        raise Failure(reason, "check the network and the package index, then try again") from error
