"""Values of any engine in a form that JSON has."""

from datetime import date, datetime, timedelta
from typing import Any


def plain(value: Any) -> Any:
    """Times in seconds since 1970, days as text, intervals in seconds, decimals as numbers."""
    if isinstance(value, datetime):
        return value.timestamp()
    if isinstance(value, date):
        return value.isoformat()
    return value.total_seconds() if isinstance(value, timedelta) else float(value)
