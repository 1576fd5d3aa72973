"""What tells one embedded stack from another: the emulator's port and the key that its API takes.

With a data folder both are kept there, so that producers and links go on working after a restart. The port has to be
the same because the emulator's queues are named by addresses with the port in them.
"""

import json
import os
import secrets
import socket
from dataclasses import asdict, dataclass
from pathlib import Path

from local.failure import Failure

FILE = "instance.json"
KEY_BYTES = 24


@dataclass(frozen=True)
class Instance:
    port: int
    key: str

    @classmethod
    def kept_in(cls, data: Path | None) -> "Instance":
        """Return the instance of a data folder, a new one if the folder is new or there is none."""
        if data is None:
            return cls.new()
        file = data / FILE
        if file.is_file():
            return cls.read(file)
        data.mkdir(parents=True, exist_ok=True)
        instance = cls.new()
        write_private(file, json.dumps(asdict(instance)))
        return instance

    @classmethod
    def new(cls) -> "Instance":
        return cls(free_port(), secrets.token_urlsafe(KEY_BYTES))

    @classmethod
    def read(cls, file: Path) -> "Instance":
        instance = cls(**json.loads(file.read_text(encoding="utf-8")))
        try:
            socket.create_server(("127.0.0.1", instance.port)).close()
        except OSError as error:
            because = os.strerror(error.errno or 0)
            reason = f"port {instance.port}, which the data in {file.parent} needs, cannot be had: {because}"
            raise Failure(reason, "stop what listens there: a stack on the same data, perhaps") from error
        return instance


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
    return port


def write_private(file: Path, text: str) -> None:
    """Write a file that only its owner can read, from its first byte on."""
    file.unlink(missing_ok=True)
    file.touch(mode=0o600)
    file.write_text(text, encoding="utf-8")
