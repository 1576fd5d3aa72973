"""Ports of the loopback interface."""

import random
import socket
from argparse import ArgumentTypeError

_PORTS = range(15_000, 32_000)
"""Linux takes the ports of outgoing connections from 32768 on, macOS from 49152 on: such a port may be gone before a
server listens on it."""


def free_port() -> int:
    """Return a port that nothing uses."""
    while True:
        port = random.choice(_PORTS)  # noqa: S311 - no secret
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        return port


def is_taken(port: int) -> bool:
    """Whether a process listens on the port."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def port_argument(text: str) -> int:
    """Read a port of the command line. Raises ArgumentTypeError."""
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise ArgumentTypeError(f"expected a number from 1 to 65535, not {text!r}")
    return int(text)
