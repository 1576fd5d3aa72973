"""The settings that an embedded stack keeps over restarts: the emulator's port, the API key, and the IAM setting.

The settings are in the data folder, if there is one, so that producers and links still work after a restart.

Workaround: queue-addresses. A queue's URL has the emulator's port and protocol, and stored functions have the URL in
their environment. So the port must stay the same, and also the IAM setting, which decides on TLS.
"""

import json
import os
import secrets
import socket
from dataclasses import asdict, dataclass
from pathlib import Path

from headwater.cli.machine.failure import Failure
from headwater.cli.machine.ports import free_port
from headwater.cli.machine.private_file import write_private

FILE = "instance.json"
KEY_BYTES = 24


@dataclass(frozen=True)
class Instance:
    port: int
    key: str
    iam: bool

    @classmethod
    def load_or_create(cls, data: Path | None, *, iam: bool) -> "Instance":
        """Return the instance of a data folder; a new one if the folder is new or None. Raises Failure."""
        if data is None:
            return cls.new(iam)
        file = data / FILE
        if file.is_file():
            return validated(cls(**json.loads(file.read_text(encoding="utf-8"))), data, iam)
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


def validated(instance: Instance, data: Path, iam: bool) -> Instance:
    """Return the instance if it has the same IAM setting and its port is free. Raises Failure."""
    if instance.iam != iam:
        made = "with" if instance.iam else "without"
        raise Failure(
            f"the data in {data} was made {made} AUTH=1", "start it with the same AUTH, or choose another DATA="
        )
    try:
        socket.create_server(("127.0.0.1", instance.port)).close()
    except OSError as error:
        reason = f"port {instance.port}, which the data in {data} needs, cannot be had: {os.strerror(error.errno or 0)}"
        raise Failure(reason, "stop the process that listens there, perhaps a stack with the same data") from error
    return instance
