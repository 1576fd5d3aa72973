"""An environment in which each function starts, without AWS."""

import os
from datetime import timedelta
from pathlib import Path
from typing import get_type_hints

from headwater import config

ROOT = Path(__file__).parents[2]
VALUES = {str: "x", int: "1", config.Forms: "1", timedelta: "1", bool: "OFF", config.SecretRules: "NONE"}
"""A value of each type of setting; all others are JSON objects."""


def environment(function: str, layer: Path) -> dict[str, str]:
    """The variables of a process that imports a function's app.py, with a layer. Clients have no credentials."""
    settings = [each for each in vars(config).values() if isinstance(each, type) and issubclass(each, config.Settings)]
    types = {name: kind for each in settings for name, kind in get_type_hints(each).items()}
    variables = {name.upper(): VALUES.get(kind, "{}") for name, kind in types.items()}
    variables |= {"FORWARD_TO": "NONE", "FORWARD_SECRET": "NONE", "AWS_DEFAULT_REGION": "us-east-1"}
    path = os.pathsep.join(map(str, (ROOT / "functions" / function, layer)))
    return variables | {"PYTHONPATH": path, "PATH": os.environ["PATH"]}
