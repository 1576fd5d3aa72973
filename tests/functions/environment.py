"""An environment in which each function starts, without AWS."""

import os
from pathlib import Path

ROOT = Path(__file__).parents[2]

TEXTS = (
    "KEYS_SECRET",
    "QUEUE_URL",
    "ARCHIVE_BUCKET",
    "TABLE_NAME",
    "ARCHIVE_STREAM",
    "CATALOG_ARN",
    "API_URL",
    "ALERT_BUS",
    "CATALOG_DATABASE",
    "PEOPLE_CLAIM",
    "PEOPLE_SEAL",
    "PICKUP_BUCKET",
    "CONNECT_SECRET",
    "REGISTRY_SECRET",
    "FORWARD_QUEUE",
    "FORWARD_URL",
    "FORWARD_DOMAIN",
)
NUMBERS = (
    "MAX_BODY_BYTES",
    "RUN_RETENTION_DAYS",
    "ITEM_FORMS",
    "EVENT_RETENTION_DAYS",
    "EMISSION_LATENCY_MILLIS",
    "ABANDONED_AFTER_MINUTES",
)
OBJECTS = (
    "NAMESPACE_ALIASES",
    "CONNECT_CLUSTERS",
    "REGISTRIES",
    "PEOPLE_GROUPS",
    "EMISSION_LATENCY_BY_NAMESPACE",
    "ABANDONED_AFTER_BY_NAMESPACE",
)


def environment(function: str, layer: Path) -> dict[str, str]:
    """The variables of a process that imports a function's app.py, with a layer. Clients have no credentials."""
    variables = dict.fromkeys(TEXTS, "x") | dict.fromkeys(NUMBERS, "1") | dict.fromkeys(OBJECTS, "{}")
    variables |= {
        "CREATE_MISSING_TABLES": "OFF",
        "AUDIT": "OFF",
        "SECRET_RULES": "NONE",
        "FORWARD_TO": "NONE",
        "FORWARD_SECRET": "NONE",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    path = os.pathsep.join(map(str, (ROOT / "functions" / function, layer)))
    return variables | {"PYTHONPATH": path, "PATH": os.environ["PATH"]}
