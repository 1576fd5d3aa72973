"""Forwards requests to the emulator's HTTP API within the limits of API Gateway, which the emulator lacks.

Bodies and headers stay intact, paths stay percent-encoded, and responses are returned unchanged.
"""

import asyncio
import ssl
from dataclasses import dataclass

import aiohttp
from aiohttp import web
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

MAX_BODY_BYTES = 10 * 1024 * 1024
"""API Gateway's limit of a body. Workaround: body-limit."""
MAX_HEADER_BYTES = 10_240
"""API Gateway's limit of the request line and the headers together. Workaround: header-limit."""
CLIENT_SECONDS = 60.0
"""How long a client may take to send a request's headers, to send its body, and to take the response."""
MAX_SECONDS = 30.0
"""API Gateway's longest integration timeout for HTTP APIs. Workaround: answer-time."""
HOP_BY_HOP = {
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
}
KEY_HEADERS = ("Authorization", "x-api-key")
CLIENT_HEADERS = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")
"""Headers that aiohttp would add by itself."""


class BodyTooLargeError(Exception):
    """The body is over API Gateway's limit."""


@dataclass(frozen=True)
class ProxyTarget:
    """The API behind the proxy: its URL, the trusted certificates for https, and the seconds until a timeout of the API
    and of a client.

    A request without a key is forwarded with `key`: Marquez's web UI cannot send a key.
    """

    url: str
    trust: ssl.SSLContext | None = None
    max_seconds: float = MAX_SECONDS
    client_seconds: float = CLIENT_SECONDS
    key: str | None = None


@dataclass(frozen=True)
class Proxy:
    target: ProxyTarget
    session: aiohttp.ClientSession

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Respond to one request. A client that does not take the response is cut off."""
        response = await self.response_to(request)
        try:
            async with asyncio.timeout(self.target.client_seconds):
                await response.prepare(request)
                await response.write_eof()
        except TimeoutError:
            if request.transport:
                request.transport.abort()
        return response

    async def response_to(self, request: web.BaseRequest) -> web.Response:
        """If the API does not respond, return the status and message of API Gateway."""
        if header_bytes(request) > MAX_HEADER_BYTES:
            return error_response(414, "Request-URI Too Long")
        try:
            async with asyncio.timeout(self.target.client_seconds):
                body = await read_body(request)
        except TimeoutError:
            return error_response(408, "Request Timeout")
        except BodyTooLargeError:
            return error_response(413, "Request Entity Too Large")
        try:
            async with asyncio.timeout(self.target.max_seconds):
                return await self.forward(request, body)
        except (TimeoutError, aiohttp.ClientError):
            return error_response(503, "Service Unavailable")
        except ValueError:  # a path that is not a URL
            return error_response(400, "Bad Request")

    async def forward(self, request: web.BaseRequest, body: bytes) -> web.Response:
        request_context = self.session.request(
            request.method,
            URL(self.target.url + request.raw_path, encoded=True),
            headers=self.with_key(forwarded_headers(request.headers)),
            data=body if body or request.body_exists else None,
            allow_redirects=False,
            skip_auto_headers=CLIENT_HEADERS,
            ssl=self.target.trust or True,
        )
        async with request_context as answer:
            return client_response(request.method, answer, await answer.read())

    def with_key(self, headers: CIMultiDict[str]) -> CIMultiDict[str]:
        """Add the key of the target, if there is one and the client sent none."""
        if self.target.key and not any(name in headers for name in KEY_HEADERS):
            headers["Authorization"] = f"Bearer {self.target.key}"
        return headers


def header_bytes(request: web.BaseRequest) -> int:
    return len(request.raw_path) + sum(len(name) + len(value) for name, value in request.raw_headers)


async def read_body(request: web.BaseRequest) -> bytes:
    """Return the whole body, chunked or not, as sent. Raises BodyTooLargeError if the body passes the limit."""
    if (request.content_length or 0) > MAX_BODY_BYTES:
        raise BodyTooLargeError
    if request.transport and request.headers.get("Expect", "").lower() == "100-continue":
        request.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")  # curl would wait a second for it
    body = bytearray()
    async for part in request.content.iter_any():
        body += part
        if len(body) > MAX_BODY_BYTES:
            raise BodyTooLargeError
    return bytes(body)


def forwarded_headers(headers: CIMultiDictProxy[str]) -> CIMultiDict[str]:
    return CIMultiDict((name, value) for name, value in headers.items() if name.lower() not in HOP_BY_HOP)


def client_response(method: str, answer: aiohttp.ClientResponse, body: bytes) -> web.Response:
    headers = CIMultiDict((name, value) for name, value in answer.headers.items() if name.lower() not in HOP_BY_HOP)
    if method == "HEAD" and "Content-Length" in answer.headers:
        headers["Content-Length"] = answer.headers["Content-Length"]
    return web.Response(status=answer.status, reason=answer.reason, headers=headers, body=body)


def error_response(status: int, message: str) -> web.Response:
    return web.json_response({"message": message}, status=status)
