"""The folder of what commands download and keep."""

import os
from pathlib import Path

PACKAGES = Path(__file__).resolve().parents[3]
"""The folder that has the package headwater: site-packages, or layers/headwater of a checkout."""


def state_folder() -> Path:
    """Return `.local` of a checkout, else `headwater` in the user's folder of caches."""
    root = PACKAGES.parent.parent
    if (root / "template.yaml").is_file():
        return root / ".local"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "headwater"
