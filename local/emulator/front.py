"""The HTTP server at the public URL of an embedded stack, in a thread of its own.

A client that sends no request, or that does not finish its request or take its response, is cut off. One connection too
many takes the place of the oldest without a request; if each has a request, it is refused.
"""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import aiohttp
from aiohttp import web

from local.emulator.proxy import Proxy, ProxyTarget

MAX_LINE_BYTES = 1024 * 1024  # far over the limit of API Gateway, for which the proxy responds 414
MAX_CONNECTIONS = 500
START_SECONDS = 10


REFUSAL = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: 34\r\n"
    b'Connection: close\r\n\r\n{"message": "Service Unavailable"}'
)


class Server(web.Server):
    """aiohttp's server with a limited number of connections."""

    def connection_made(self, handler: web.RequestHandler, transport: asyncio.Transport) -> None:
        super().connection_made(handler, transport)
        if len(self.connections) > MAX_CONNECTIONS:
            others = (other for other in self.connections if other.connected and other is not handler)
            idle = next((other for other in others if other._current_request is None), None)  # noqa: SLF001 - no other sign
            if idle is None:
                transport.write(REFUSAL)
            (idle or handler).force_close()


@contextmanager
def run_front(listener: socket.socket, target: ProxyTarget) -> Iterator[None]:
    """Forward the requests that arrive on a bound socket to the target, for the length of a `with` block."""
    loop = asyncio.new_event_loop()
    ready, stop = threading.Event(), asyncio.Event()
    thread = threading.Thread(target=loop.run_until_complete, args=[serve(listener, target, ready, stop)])
    thread.start()
    try:
        if not ready.wait(START_SECONDS):
            raise TimeoutError(f"the front did not start within {START_SECONDS} s")
        yield
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


async def serve(listener: socket.socket, target: ProxyTarget, ready: threading.Event, stop: asyncio.Event) -> None:
    once = aiohttp.TCPConnector(force_close=True)  # the emulator may close an idle connection as a request comes
    jar = aiohttp.DummyCookieJar()
    async with aiohttp.ClientSession(connector=once, auto_decompress=False, cookie_jar=jar) as session:
        server = Server(
            Proxy(target, session).handle,
            access_log=None,
            keepalive_timeout=target.client_seconds,
            lingering_time=target.client_seconds,
            auto_decompress=False,
            max_line_size=MAX_LINE_BYTES,
            max_field_size=MAX_LINE_BYTES,
        )
        runner = web.ServerRunner(server, shutdown_timeout=1)
        await runner.setup()
        await web.SockSite(runner, listener).start()
        ready.set()
        try:
            await stop.wait()
        finally:
            await runner.cleanup()
