"""The deployment for a command: that of HEADWATER_URL, or the stack that `make up` runs."""

import json
from dataclasses import dataclass, field
from pathlib import Path

URL_VARIABLE, KEY_VARIABLE = "HEADWATER_URL", "HEADWATER_API_KEY"
FILE = Path(__file__).resolve().parents[4] / ".local" / "endpoint.json"
"""Written by `make up`, and removed when the stack stops."""


@dataclass(frozen=True)
class Endpoint:
    url: str
    key: str = field(repr=False)


def endpoint_of_make_up() -> Endpoint | None:
    """Return the public URL and the key of the stack that `make up` runs, None if there is no such stack."""
    if not FILE.is_file():
        return None
    endpoint = json.loads(FILE.read_text(encoding="utf-8"))
    return Endpoint(endpoint["url"], endpoint["key"])
