"""What is sent to SageMaker Catalog and to an endpoint of OpenLineage, and what their refusals mean."""

import json
from collections.abc import Iterator

import pytest

from headwater.forward.targets import MAX_CATALOG_BYTES, HttpEndpoint, SageMakerCatalog
from headwater.rest import Unreachable
from headwater.store.aws.client import client, new_session
from headwater.store.errors import Rejected, StorageError
from tests import factory
from tests.forward.receivers import DOMAIN, CatalogStub, Receiver, receiving

EVENT = json.dumps(factory.run_event("COMPLETE", outputs=[factory.dataset("orders")]))


@pytest.fixture
def stub() -> CatalogStub:
    return CatalogStub()


@pytest.fixture
def catalog(stub: CatalogStub, monkeypatch: pytest.MonkeyPatch) -> Iterator[SageMakerCatalog]:
    with receiving(stub) as url:
        for name, value in {
            "AWS_ENDPOINT_URL_DATAZONE": url,
            "AWS_DEFAULT_REGION": "eu-west-1",
            "AWS_ACCESS_KEY_ID": "x",
            "AWS_SECRET_ACCESS_KEY": "x",
        }.items():
            monkeypatch.setenv(name, value)
        yield SageMakerCatalog(client(new_session(), "datazone"), DOMAIN)


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@pytest.fixture
def url(receiver: Receiver) -> Iterator[str]:
    with receiving(receiver) as listening:
        yield listening


def test_the_catalog_gets_an_event_as_it_is_and_twice_with_one_token_is_once(
    catalog: SageMakerCatalog, stub: CatalogStub
) -> None:
    catalog.send(EVENT, "a" * 64)
    catalog.send(EVENT, "a" * 64)
    assert stub.posted == {"a" * 64: json.loads(EVENT)}


@pytest.mark.parametrize("kind", ["START", "COMPLETE", "FAIL", "RUNNING", "ABORT", "OTHER", None])
def test_the_catalog_wants_the_runs_that_it_takes(kind: str | None, catalog: SageMakerCatalog) -> None:
    event = json.dumps(factory.run_event(kind, inputs=[factory.dataset("orders")]))
    assert catalog.wants(event) is (kind in ("START", "COMPLETE", "FAIL"))
    if not catalog.wants(event):
        with pytest.raises(Rejected):
            catalog.send(event, "a")


def test_the_catalog_wants_no_run_without_datasets_and_no_job_or_dataset(catalog: SageMakerCatalog) -> None:
    for event in (factory.run_event("COMPLETE"), factory.job_event(inputs=[factory.dataset("a")])):
        assert not catalog.wants(json.dumps(event))


def test_the_longest_event_that_the_catalog_takes_is_sent_and_a_longer_one_is_not(
    catalog: SageMakerCatalog, stub: CatalogStub
) -> None:
    event = factory.run_event("COMPLETE", outputs=[factory.dataset("orders")])
    text = json.dumps(event | {"padding": "é" * 70_000}, ensure_ascii=False)
    padded = text + " " * (MAX_CATALOG_BYTES - len(text.encode()))
    catalog.send(padded, "a")
    with pytest.raises(Rejected, match="300001 bytes"):
        catalog.send(padded + " ", "b")
    assert list(stub.posted) == ["a"]


def test_a_catalog_that_is_busy_or_not_there_may_take_the_event_later(
    catalog: SageMakerCatalog, stub: CatalogStub
) -> None:
    stub.answers = [429, 429, 429]
    with pytest.raises(StorageError):
        catalog.send(EVENT, "a")
    stub.answers = []
    elsewhere = SageMakerCatalog(catalog._client, "dzd_other")
    with pytest.raises(StorageError, match="ResourceNotFound"):
        elsewhere.send(EVENT, "a")


def test_an_endpoint_gets_an_event_as_it_is_with_the_header_of_the_secret(receiver: Receiver, url: str) -> None:
    HttpEndpoint(f"{url}/api/v1/lineage", lambda: "Bearer key\n").send(EVENT, "a")
    ((path, headers, event),) = receiver.requests
    assert (path, headers["authorization"], event) == ("/api/v1/lineage", "Bearer key", json.loads(EVENT))
    assert headers["content-type"].startswith("application/json")


def test_without_a_secret_there_is_no_header(receiver: Receiver, url: str) -> None:
    HttpEndpoint(url, None).send(EVENT, "a")
    assert "authorization" not in receiver.requests[0][1]


@pytest.mark.parametrize("status", [400, 413, 422])
def test_an_event_that_the_endpoint_calls_wrong_is_rejected(status: int, receiver: Receiver, url: str) -> None:
    receiver.answers = [status]
    with pytest.raises(Rejected, match=str(status)):
        HttpEndpoint(url, None).send(EVENT, "a")


@pytest.mark.parametrize("status", [302, 307, 404, 408, 429, 500, 503])
def test_any_other_answer_may_change(status: int, receiver: Receiver, url: str) -> None:
    """A redirect, too: followed, it would become a GET, and the event would be lost."""
    receiver.answers = [status]
    with pytest.raises(StorageError, match=str(status)):
        HttpEndpoint(url, lambda: "Bearer key").send(EVENT, "a")
    assert len(receiver.requests) == 1


def test_an_endpoint_that_does_not_answer_may_do_so_later() -> None:
    with receiving(Receiver()) as gone:
        pass
    with pytest.raises(Unreachable):
        HttpEndpoint(gone, None).send(EVENT, "a")


def test_after_a_refusal_the_secret_is_read_again(receiver: Receiver, url: str) -> None:
    keys = iter(["old", "new"])
    endpoint = HttpEndpoint(url, lambda: next(keys))
    receiver.answers = [401]
    with pytest.raises(StorageError, match="401"):
        endpoint.send(EVENT, "a")
    endpoint.send(EVENT, "a")
    endpoint.send(EVENT, "a")
    assert [headers["authorization"] for _, headers, _ in receiver.requests] == ["old", "new", "new"]
