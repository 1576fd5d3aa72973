"""The files of the web page, as responses. The browser gets the page's data from the API with the key of its user.

    /                       index.html, asked for each time
    /assets/NAME-HASH.EXT   everything else: a changed file has another name, so a browser keeps it for a year
    /assets/NAME.jar        no file of the page: what `make agent` builds for clusters, and leaves in `JARS`

`make web` leaves each file gzipped in `BUILT`, as browsers take it.
"""

import gzip
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from headwater.http.response import ApiResponse, error_response

BUILT = Path(__file__).with_name("built")
JARS = Path(__file__).with_name("jars")
ROOT, ASSETS = "/", "/assets/"
CONTENT_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; worker-src 'self'; "
    "img-src 'self' blob: data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Content-Security-Policy: code, styles and data only from this origin. No text of an event can become code. Pictures
that the page draws and saves are blobs."""
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
}
NOT_BUILT = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Headwater</title><h1>Headwater</h1>'
    "<p>The API answers at <code>/api/v1</code>. The web page was not built: run <code>make web</code>.</p></html>"
)


def is_of_page(method: str, path: str) -> bool:
    """Whether a request is for a file of the page, and not for the API."""
    return method in ("GET", "HEAD") and (path == ROOT or path.startswith(ASSETS))


def respond(path: str, headers: Mapping[str, str], built: Path = BUILT, jars: Path = JARS) -> ApiResponse:
    """The file of a path. The names of `headers` are in lower case. 404 for a file that this release does not have."""
    files = _files(built)
    name = "index.html" if path == ROOT else path.removeprefix("/")
    if jar := {ASSETS + file.name: file for file in jars.glob("*.jar")}.get(path):
        return ApiResponse(200, jar.read_bytes(), HEADERS | {"content-type": "application/java-archive"})
    if name not in files:
        is_missing = path == ROOT
        return _page(NOT_BUILT) if is_missing else error_response(404, "no such file; load the page again")
    content, suffix = files[name], Path(name).suffix
    sent = HEADERS | {
        "content-type": CONTENT_TYPES[suffix],
        "cache-control": "no-cache" if path == ROOT else "public, max-age=31536000, immutable",
        "vary": "accept-encoding",
    }
    if "gzip" in headers.get("accept-encoding", ""):
        return ApiResponse(200, content, sent | {"content-encoding": "gzip"})
    return ApiResponse(200, gzip.decompress(content), sent)


def _page(text: str) -> ApiResponse:
    return ApiResponse(200, text, HEADERS | {"content-type": CONTENT_TYPES[".html"], "cache-control": "no-cache"})


@cache
def _files(built: Path) -> Mapping[str, bytes]:
    """The gzipped files by their paths: nothing outside this mapping is ever read for a request."""
    return {path.relative_to(built).as_posix().removesuffix(".gz"): path.read_bytes() for path in built.rglob("*.gz")}
