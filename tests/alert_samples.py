"""Alerts as on the bus: samples, and generated alerts with any texts."""

import json
from typing import Any
from urllib.parse import quote

from hypothesis import strategies as st

from headwater.alerts.alert import DetailType

TYPES = tuple(DetailType)

Detail = dict[str, Any]


def schema_changed(alert_id: str, **changes: Any) -> Detail:
    """The detail of an alert about a column that is gone."""
    detail: Detail = {
        "id": alert_id,
        "time": "2026-11-20T08:00:00.000Z",
        "severity": "critical",
        "namespace": "s3://lake",
        "name": "orders",
        "nodeId": "dataset:s3://lake:orders",
        "owners": ["finance", "data-platform"],
        "title": 'orders lost "unit_price"',
        "lines": ['Column "unit_price" is gone.', "2 columns of revenue_daily are made of it."],
        "text": '%%% \n**orders** lost `unit_price`\n- "revenue_daily"\n %%%',
        "tags": ["namespace:s3://lake", "severity:critical", "owner:finance", f"id:{alert_id}"],
        "alertType": "error",
        "aggregationKey": "s3://lake:orders",
        "link": "https://api.example.com/api/v1/impact?nodeId=dataset%3As3%3A%2F%2Flake%3Aorders",
        "removed": [{"name": "unit_price", "type": "decimal"}],
    }
    return detail | changes


def put(events: Any, bus: str, *details: Detail, detail_type: str = TYPES[0]) -> None:
    entry = {"EventBusName": bus, "Source": "headwater.lineage", "DetailType": detail_type}
    answer = events.put_events(Entries=[entry | {"Detail": json.dumps(detail)} for detail in details])
    assert answer["FailedEntryCount"] == 0, answer


texts = st.text(st.characters(codec="utf-8"))
links = st.none() | st.builds(
    lambda text: f"https://api.example.com/api/v1/impact?nodeId={quote(text, safe='')}", texts
)
details = st.fixed_dictionaries(
    {
        "id": st.text("0123456789abcdef", min_size=32, max_size=32),
        "time": st.just("2026-11-20T08:00:00.000Z"),
        "severity": st.sampled_from(["critical", "warning", "info"]),
        "namespace": texts,
        "name": texts,
        "nodeId": texts,
        "owners": st.lists(texts, max_size=3),
        "title": st.text(st.characters(codec="utf-8"), min_size=1, max_size=100),
        "lines": st.lists(texts, max_size=3),
        "text": st.text(st.characters(codec="utf-8"), min_size=1, max_size=3900),
        "tags": st.lists(st.text(st.characters(codec="utf-8"), max_size=200), max_size=3),
        "alertType": st.sampled_from(["error", "warning", "info", "success"]),
        "aggregationKey": st.text(st.characters(codec="utf-8"), max_size=100),
        "link": links,
        "breaks": st.lists(st.dictionaries(texts, texts, max_size=2), max_size=2),
    }
)
