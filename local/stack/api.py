"""A client of the lookup API, which also prints its requests as curl commands."""

import json
import shlex
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from headwater.cli.machine.failure import Failure

ANSWER_SECONDS = 30


@dataclass(frozen=True)
class Api:
    """The API at `url`; error messages name the folder `logs`."""

    url: str
    key: str
    logs: Path

    def get(self, path: str, **query: str | int) -> Any:
        """Return the JSON body of the response. Raises Failure unless the status is 200."""
        request = urllib.request.Request(self.address(path, **query), headers=self.headers())  # noqa: S310 - our own URL
        try:
            with urllib.request.urlopen(request, timeout=ANSWER_SECONDS) as answer:  # noqa: S310
                return json.load(answer)
        except urllib.error.HTTPError as error:
            body = error.read(500).decode(errors="replace")
            raise Failure(f"GET {path} was answered {error.code}: {body}", f"see lookup.log in {self.logs}") from error
        except OSError as error:
            raise Failure(f"GET {path} had no answer: {error}", f"see emulator.log in {self.logs}") from error

    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}

    def address(self, path: str, **query: str | int) -> str:
        return f"{self.url}{path}?{urlencode(query)}"

    def curl(self, path: str, **query: str | int) -> str:
        header = shlex.quote(f"Authorization: Bearer {self.key}")
        return f"curl -H {header} {shlex.quote(self.address(path, **query))}"
