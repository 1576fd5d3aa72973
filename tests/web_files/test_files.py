"""The files of the page: for anyone, of this origin alone, kept by browsers as long as they are the same."""

import base64
import gzip
import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from functions.web.app import handler
from headwater.web_files.files import HEADERS, is_of_page, respond
from tests.serve.process import ROOT

GZIP = {"accept-encoding": "gzip, br"}


@pytest.fixture
def built(tmp_path: Path) -> Path:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html.gz").write_bytes(gzip.compress(b"<!doctype html>page"))
    (tmp_path / "assets" / "index-abc.js.gz").write_bytes(gzip.compress(b"code"))
    (tmp_path / "secret.txt").write_text("not gzipped, not of the page")
    return tmp_path


def content(built: Path, path: str, headers: Mapping[str, str] = GZIP) -> tuple[int, dict[str, str], bytes]:
    response = respond(path, headers, built)
    sent, body = response.content()
    return response.status, sent, gzip.decompress(body) if "content-encoding" in sent else body


def test_the_page_is_asked_for_each_time_and_its_files_are_kept(built: Path) -> None:
    status, headers, body = content(built, "/")
    assert (status, body, headers["cache-control"]) == (200, b"<!doctype html>page", "no-cache")
    status, headers, body = content(built, "/assets/index-abc.js")
    assert (status, body) == (200, b"code")
    assert headers["cache-control"] == "public, max-age=31536000, immutable"
    assert headers["content-type"].startswith("text/javascript")


def test_a_client_without_gzip_gets_plain_files(built: Path) -> None:
    _, headers, body = content(built, "/assets/index-abc.js", {})
    assert "content-encoding" not in headers
    assert body == b"code"


def test_every_file_has_the_policy_of_one_origin(built: Path) -> None:
    for path in ("/", "/assets/index-abc.js"):
        _, headers, _ = content(built, path)
        assert headers.items() >= HEADERS.items()
    policy = HEADERS["content-security-policy"]
    assert "default-src 'none'" in policy
    assert not re.search(r"unsafe|https?:|\*", policy)


@pytest.mark.parametrize("path", ["/assets/../secret.txt", "/assets/%2e%2e/secret.txt", "/assets/other.js", "/assets/"])
def test_nothing_outside_of_the_build_is_served(built: Path, path: str) -> None:
    status, _, body = content(built, path, {})
    assert status == 404
    assert b"secret" not in body


def test_the_jar_beside_spark_s_listener_is_there_for_clusters_if_it_was_built(built: Path) -> None:
    path = "/assets/headwater-spark.jar"
    assert respond(path, GZIP, built, built).status == 404
    (built / "headwater-spark.jar").write_bytes(b"classes")
    assert respond("/assets/../secret.jar", GZIP, built, built).status == 404
    response = respond(path, GZIP, built, built)
    assert (response.status, response.body) == (200, b"classes")
    assert response.headers["content-type"] == "application/java-archive"
    assert "cache-control" not in response.headers, "another release has another jar of this name"


def test_without_a_build_the_root_says_how_to_build(tmp_path: Path) -> None:
    status, headers, body = content(tmp_path, "/", {})
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert b"make web" in body


def test_only_reading_the_root_and_the_assets_is_for_the_page() -> None:
    assert is_of_page("GET", "/")
    assert is_of_page("HEAD", "/assets/x.js")
    assert not is_of_page("POST", "/")
    assert not is_of_page("GET", "/api/v1/lineage")
    assert not is_of_page("GET", "/lineage")


def test_the_function_answers_in_the_form_of_the_gateway() -> None:
    answer = handler({"rawPath": "/", "headers": GZIP}, None)
    assert answer["statusCode"] == 200
    body = answer["body"]
    text = gzip.decompress(base64.b64decode(body)).decode() if answer.get("isBase64Encoded") else body
    assert "<!doctype html>" in text


def test_the_lock_of_the_page_names_no_registry() -> None:
    text = (ROOT / "web" / "package-lock.json").read_text()
    packages = json.loads(text)["packages"]
    assert len(packages) > 20
    assert "resolved" not in text
    assert all(package.get("integrity", "").startswith("sha512-") for name, package in packages.items() if name)
