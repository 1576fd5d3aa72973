"""The price file says of each figure where it was found, or that it was not."""

import json
from typing import Any

import pytest

from benchmarks.cost import PRICES

FIGURES: dict[str, dict[str, Any]] = json.loads(PRICES.read_text())["figures"]


@pytest.mark.parametrize("figure", FIGURES.values(), ids=FIGURES)
def test_a_figure_names_its_page_or_is_not_verified(figure: dict[str, Any]) -> None:
    assert figure["amount"] > 0
    if figure["page"] is None:
        assert figure["status"] == "not verified"
    else:
        assert figure["page"].startswith("https://")
        is_aws = figure["page"].partition("//")[2].partition("/")[0].endswith("aws.amazon.com")
        assert figure["status"] == f"found on a page of {'AWS' if is_aws else 'others'}"
