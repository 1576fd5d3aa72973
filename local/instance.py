"""What tells one embedded stack from another: the emulator's port, the key that its API takes, and whether IAM counts.

With a data folder these are kept there, so that producers and links go on working after a restart. Port and IAM have to
stay the same because the emulator's queues are named by addresses with the port and the protocol in them.
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
    iam: bool

    @classmethod
    def kept_in(cls, data: Path | None, *, iam: bool) -> "Instance":
        """Return the instance of a data folder, a new one if the folder is new or there is none."""
        if data is None:
            return cls.new(iam)
        file = data / FILE
        if file.is_file():
            return checked(cls(**json.loads(file.read_text(encoding="utf-8"))), data, iam)
        instance = cls.new(iam)
        try:
            data.mkdir(parents=True, exist_ok=True)
            write_private(file, json.dumps(asdict(instance)))
        except OSError as error:
            raise Failure(f"{data} cannot be used for data: {error}", "choose another DATA=") from error
        return instance

    @classmethod
    def new(cls, iam: bool) -> "Instance":
        return cls(free_port(), secrets.token_urlsafe(KEY_BYTES), iam)


def checked(instance: Instance, data: Path, iam: bool) -> Instance:
    """Return a kept instance if it can be used as wanted. Raises Failure."""
    if instance.iam != iam:
        made = "with" if instance.iam else "without"
        raise Failure(f"the data in {data} was made {made} AUTH=1", "bring it up like that, or choose another DATA=")
    try:
        socket.create_server(("127.0.0.1", instance.port)).close()
    except OSError as error:
        reason = f"port {instance.port}, which the data in {data} needs, cannot be had: {os.strerror(error.errno or 0)}"
        raise Failure(reason, "stop what listens there: a stack on the same data, perhaps") from error
    return instance


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
    return port


def write_private(file: Path, text: str) -> None:
    """Write a file that only its owner can read, from its first byte on. It is never there in part."""
    part = file.with_name(f"{file.name}.{os.getpid()}")
    part.unlink(missing_ok=True)
    part.touch(mode=0o600)
    part.write_text(text, encoding="utf-8")
    part.replace(file)
