"""The options of the emulator, and MiniStack's environment variables for them."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from headwater.cli.machine.failure import Failure
from local.emulator.account import scrubbed


@dataclass(frozen=True)
class EmulatorOptions:
    """`folder` has the log and scratch files, `data` has the state over restarts, and `iam` enforces the roles."""

    folder: Path
    port: int
    data: Path | None = None
    iam: bool = False

    @property
    def log(self) -> Path:
        return self.folder / "emulator.log"

    @property
    def scratch(self) -> Path:
        return self.folder / "scratch"

    @property
    def certificate(self) -> Path:
        """The file of the certificate that the emulator makes for itself."""
        return self.scratch / "ministack-tls" / "server.crt"


def environment(options: EmulatorOptions) -> dict[str, str]:
    """Return the emulator's environment, which its Lambda processes inherit: without PYTHONPATH, since a function must
    find in its layer what it imports.

    The SFTP and MQTT listeners are off. DOCKER_HOST names no daemon: at its start, the emulator removes containers that
    look like its own, and such a container may belong to another project.
    """
    settings = {
        "GATEWAY_PORT": str(options.port),
        "BIND_HOST": "127.0.0.1",
        "LAMBDA_EXECUTOR": "local",
        "SFTP_ENABLED": "0",
        "IOT_MTLS_ENABLED": "0",
        "DOCKER_HOST": "unix:///nonexistent",
        "TMPDIR": str(options.scratch.resolve()),
    }
    inherited = {name: value for name, value in scrubbed(os.environ).items() if name != "PYTHONPATH"}
    return inherited | settings | persistence(options.data) | enforcement(options)


def persistence(data: Path | None) -> dict[str, str]:
    if data is None:
        return {"PERSIST_STATE": "0", "S3_PERSIST": "0"}
    folder = data.resolve()
    return {
        "PERSIST_STATE": "1",
        "STATE_DIR": str(folder / "state"),
        "S3_PERSIST": "1",
        "S3_DATA_DIR": str(folder / "s3"),
    }


def enforcement(options: EmulatorOptions) -> dict[str, str]:
    """Return the settings that enforce roles and resource policies, which refuse plain HTTP."""
    if not options.iam:
        return {"AUTH": "false"}
    if shutil.which("openssl") is None:
        raise Failure("AUTH=1 needs openssl for the emulator's certificate", "install openssl, or leave AUTH=1 out")
    return {"AUTH": "true", "USE_SSL": "1", "AWS_CA_BUNDLE": str(options.certificate.resolve())}
