"""Ports of the loopback interface."""

import socket
from argparse import ArgumentTypeError


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
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
