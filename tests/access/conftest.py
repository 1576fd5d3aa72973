import pytest


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The variables that the metrics of ingest need."""
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "Headwater/test")
    monkeypatch.setenv("POWERTOOLS_SERVICE_NAME", "ingest")
