"""Files with a key in them."""

import os
from pathlib import Path


def write_private(file: Path, text: str) -> None:
    """Write a file that only its owner may read. A reader sees the old text or the new, never a part of it."""
    part = file.with_name(f"{file.name}.{os.getpid()}")
    part.unlink(missing_ok=True)
    part.touch(mode=0o600)
    part.write_text(text, encoding="utf-8")
    part.replace(file)
