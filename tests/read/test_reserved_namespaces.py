"""Data sources and tags: named by datasets, or described through the API."""

import pytest

from headwater.http.marquez.descriptions import type_of
from tests import factory
from tests.factory import Document
from tests.lookup.requests import LookupClient, after, key_of, table_after


def naming(source: str, uri: str, *, seconds: float = 0, name: str = "a") -> Document:
    return factory.dataset_event(factory.dataset(name, dataSource=factory.facet(name=source, uri=uri)), seconds=seconds)


def put(namespace: str, name: str, *, seconds: float = 0, **facets: Document) -> Document:
    """What a PUT of a source or tag makes."""
    return factory.dataset_event(factory.dataset(name, f"headwater:{namespace}", **facets), seconds=seconds)


def description(text: str) -> Document:
    return factory.facet(description=text)


def test_sources_are_those_that_datasets_name() -> None:
    get = after(naming("pg", "postgres://db:5432"), naming("lake", "s3://lake", seconds=5, name="b"))
    lake, pg = get("sources")["sources"]
    assert lake == {
        "type": "S3",
        "name": "lake",
        "createdAt": factory.at(5),
        "updatedAt": factory.at(5),
        "connectionUrl": "s3://lake",
        "description": None,
    }
    assert get("sources/lake") == lake
    assert (pg["type"], pg["createdAt"], get("sources")["totalCount"]) == ("POSTGRESQL", factory.at(0), 2)


def test_a_dataset_without_a_source_does_no_harm() -> None:
    odd = [
        factory.dataset(f"odd {n}", dataSource=odd)
        for n, odd in enumerate([None, 3, {}, {"name": ""}, {"name": "x"}, {"uri": "u"}])
    ]
    assert after(factory.run_event("COMPLETE", outputs=[factory.dataset("a"), *odd]))("sources") == {
        "sources": [],
        "totalCount": 0,
    }


def test_the_description_of_a_source_precedes_the_facets_of_datasets() -> None:
    facet = factory.facet(name="lake", uri="jdbc:redshift://h/d", type="REDSHIFT")
    get = after(
        naming("lake", "s3://lake", seconds=0),
        put("sources", "lake", seconds=10, dataSource=facet, documentation=description("ours")),
        naming("lake", "s3://other", seconds=20),
    )
    assert get("sources/lake") == {
        "type": "REDSHIFT",
        "name": "lake",
        "createdAt": factory.at(0),
        "updatedAt": factory.at(10),
        "connectionUrl": "jdbc:redshift://h/d",
        "description": "ours",
    }


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("postgres://h:5432", "POSTGRESQL"),
        ("postgresql+psycopg2://h/d", "POSTGRESQL"),
        ("jdbc:postgresql://h:5432/d", "POSTGRESQL"),
        ("jdbc:oracle:thin:@h", "ORACLE"),
        ("s3a://lake", "S3A"),
        ("bigquery", "BIGQUERY"),
        ("arn:aws:glue:eu-west-1:123456789012", "GLUE"),
        ("arn:aws-us-gov:glue:x:1", "GLUE"),
        ("db.example.com:5432", "UNKNOWN"),
        ("", "UNKNOWN"),
        ("/a path/of: some kind", "UNKNOWN"),
        ("x" * 5_000, "UNKNOWN"),
    ],
)
def test_the_type_of_a_source_is_the_scheme_of_its_uri(uri: str, expected: str) -> None:
    assert type_of(uri) == expected


@pytest.mark.parametrize("name", ["s3://lake", "a/b/", "ü #?\n", "a%2Fb", "x" * 2_000])
def test_names_of_any_kind_are_found(name: str) -> None:
    get = after(naming(name, "s3://lake"))
    assert get(f"sources/{name}")["name"] == get("sources")["sources"][0]["name"] == name


def test_a_source_that_is_not_known_is_not_found() -> None:
    assert after(naming("a", "b")).answer("sources/nope") == (
        404,
        {"code": 404, "message": "Source 'nope' not found.", "details": "", "faults": []},
    )


def test_a_key_sees_the_sources_that_are_named_like_its_namespaces() -> None:
    get = LookupClient(table_after(naming("s3://a", "s3://a"), naming("s3://b", "s3://b", name="b")), key_of("s3://a"))
    assert [source["name"] for source in get("sources")["sources"]] == ["s3://a"]
    assert get("sources")["totalCount"] == 1
    assert (get.answer("sources/s3://a")[0], get.answer("sources/s3://b")[0]) == (200, 403)


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_pages_by_cursor_and_by_offset_hold_all_once(limit: int) -> None:
    get = after(
        *(naming(f"s{n}", "x", name=f"d{n}") for n in range(5)),
        *(put("tags", f"T{n}", documentation=description("")) for n in range(3)),
    )
    for what in ("sources", "tags"):
        whole = get(what)[what]
        assert len(whole) == 5
        assert get.by_cursor(what, what, limit) == get.by_offset(what, what, limit) == whole


def test_two_tags_are_always_there_and_others_once_they_are_put() -> None:
    get = after(
        put("tags", "GOLD", documentation=description("gold")), put("tags", "PII", documentation=description("private"))
    )
    assert get("tags")["tags"] == [
        {"name": "GOLD", "description": "gold"},
        {"name": "PII", "description": "private"},
        {"name": "SENSITIVE", "description": "Contains sensitive information"},
    ]
    assert LookupClient(table_after(), key_of("nothing"))("tags")["totalCount"] == 2
