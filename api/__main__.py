"""Writes the description of the API: `PYTHONPATH=layers/headwater:. python -m api`."""

import json

from api.document import document
from headwater.lookup.openapi import FILE


def text() -> str:
    return json.dumps(document(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(text())
