"""A way for containers to reach the emulator, which only listens on the loopback interface.

The forwarder listens on the gateway of the containers' network: other machines cannot reach it. The emulator runs
whatever functions it is given, so a network must not reach it.
"""

import asyncio
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

from headwater.cli.machine.failure import Failure

DOCKER = "unix:///var/run/docker.sock"
FREEBIND = 15
"""The option IP_FREEBIND of Linux: podman has the network's interface only while a container runs."""


class _DockerConnection(HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=10)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(10)
        self.sock.connect(self._path)


def gateway() -> str:
    """The address of this machine in the network of containers. Raises Failure without Docker or podman."""
    address = os.environ.get("DOCKER_HOST", DOCKER)
    try:
        connection = _DockerConnection(address.removeprefix("unix://"))
        connection.request("GET", "/networks")
        networks: list[dict[str, Any]] = json.loads(connection.getresponse().read())
    except (OSError, HTTPException, ValueError) as error:
        next_step = "start Docker, or name the socket of podman: DOCKER_HOST=unix:///run/podman/podman.sock"
        raise Failure(f"{address} does not answer as Docker does: {error}", next_step) from error
    for network in networks:
        if network.get("Name") in {"bridge", "podman"}:
            return str(network["IPAM"]["Config"][0]["Gateway"])
    raise Failure("Docker has no network `bridge`", "create it, or restart Docker")


@contextmanager
def forwarded(endpoint: str, address: str) -> Iterator[str]:
    """Forward connections to the endpoint for the length of a `with` block. Yields the endpoint for containers."""
    parts = urlsplit(endpoint)
    listener = socket.socket()
    listener.setsockopt(socket.SOL_IP, FREEBIND, 1)
    listener.bind((address, 0))
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection(parts.hostname, parts.port)
        await asyncio.gather(_copy(reader, back), _copy(there, writer))

    asyncio.run_coroutine_threadsafe(asyncio.start_server(connect, sock=listener), loop).result()
    try:
        yield f"{parts.scheme}://{address}:{listener.getsockname()[1]}"
    finally:
        asyncio.run_coroutine_threadsafe(_end_connections(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        listener.close()
        loop.close()


async def _end_connections() -> None:
    connections = asyncio.all_tasks() - {asyncio.current_task()}
    for connection in connections:
        connection.cancel()
    await asyncio.gather(*connections, return_exceptions=True)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while part := await reader.read(65_536):
            writer.write(part)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()
