"""What an engine is given to run its pipeline, and how its programs are run."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from headwater.cli.jvm.jars import tail
from headwater.cli.machine.environment import without_aws_account
from headwater.cli.machine.failure import Failure
from headwater.cli.machine.process_group import end_group
from headwater.cli.machine.progress import Say

NAMESPACE = "shop"
"""The namespace of the jobs of every pipeline."""
SECONDS = 300
SHOWN = 120
"""Characters of a command in a message."""


@dataclass(frozen=True)
class Trial:
    """Downloads are kept in `state`; `folder` is temporary, and programs run in it. Events go to the API at `url` with
    `key`, which may be empty."""

    state: Path
    folder: Path
    url: str
    key: str
    say: Say

    def python_client(self) -> dict[str, str]:
        """Return the variables that OpenLineage's Python client reads."""
        key = {"OPENLINEAGE_API_KEY": self.key} if self.key else {}
        return {"OPENLINEAGE_URL": self.url, "OPENLINEAGE_NAMESPACE": NAMESPACE, **key}

    def program(self, command: Sequence[str | Path], variables: Mapping[str, str], *, fails: bool = False) -> None:
        """Run a program to its end in `folder`.

        Raises Failure if the program fails, or if it does not though it should.
        """
        log = self.folder / "program.log"
        name = " ".join([Path(command[0]).name, *map(str, command[1:])])[-SHOWN:]
        with log.open("wb") as output:
            process = subprocess.Popen(
                command,
                cwd=self.folder,
                env={**without_aws_account(os.environ), **variables},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            status = process.wait(SECONDS)
        except subprocess.TimeoutExpired as error:
            raise Failure(f"{name} did not end within {SECONDS} s", "try again on a machine with less to do") from error
        finally:
            end_group(process)
        if bool(status) is not fails:
            text = tail(log.read_text(encoding="utf-8", errors="replace"))
            raise Failure(f"{name} ended with status {status}:\n{text}", "correct the cause that the lines name")


class Engine(Protocol):
    """A driver: a module."""

    TABLE: str
    """The table whose lineage is shown."""

    def run(self, trial: Trial) -> None:
        """Set the engine up and run its pipeline, of which one step fails. Raises Failure."""
