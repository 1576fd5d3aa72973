"""What the tests share."""

from pathlib import Path

import pytest


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    """What the tills and the shop's page export."""
    (tmp_path / "orders.csv").write_text(
        "order_id,customer_id,ordered_at,quantity,unit_price,status\n"
        "1,ada,2026-11-20T08:00:00,2,3.50,PAID\n"
        "2,bob,2026-11-20T09:00:00,1,9.00,CANCELLED\n"
    )
    (tmp_path / "customers.csv").write_text("customer_id,mail,country\nada,ada@example.com,gb\n")
    return tmp_path
