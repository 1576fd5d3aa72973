"""headwater.yml beside the data: what it says is put when it changes, and what is put is written into it."""

from dataclasses import dataclass
from pathlib import Path

from headwater.access.principal import Principal, Scope
from headwater.curate.curator import Curator
from headwater.curate.descriptions import put_settings
from headwater.http.request import ApiRequest
from headwater.openlineage.faults import InvalidRequest
from headwater.serve.log import ServeLog

SECONDS = 5.0
MOST_READ = 1_000_000
"""More than settings may have."""
_FILE = Principal("headwater.yml", frozenset({Scope.ADMIN}), ("*",))


@dataclass
class SettingsFile:
    """The file. A faulty file changes nothing, and is not touched until somebody puts settings."""

    path: Path
    curator: Curator
    log: ServeLog
    seen: str | None = None
    known: str | None = None

    def step(self) -> float:
        """Puts what the file says since it changed; else writes what was put since. At a start the file precedes."""
        text, put = self._text(), str((self.curator.store.settings() or {}).get("text", ""))
        if text is not None and text != self.seen:
            self.seen = text
            if text.strip() and text != put:
                self._put(text)
        elif text is not None and self.known is not None and put != self.known:
            self._write(put)
        self.known = str((self.curator.store.settings() or {}).get("text", ""))
        return SECONDS

    def _text(self) -> str | None:
        """The text of the file, or None without one. A text that is too long is cut, and refused for its length."""
        try:
            with self.path.open("rb") as file:
                return file.read(MOST_READ).decode(errors="replace")
        except FileNotFoundError:
            return None

    def _put(self, text: str) -> None:
        try:
            put_settings(
                self.curator.for_one_request(_FILE), ApiRequest(_FILE, "PUT", "/settings", {}, body=text), _FILE
            )
        except InvalidRequest as fault:
            self.log(f"{self.path} changes nothing, as it has faults", fault)

    def _write(self, text: str) -> None:
        beside = self.path.with_name(f".{self.path.name}.new")
        beside.write_text(text, encoding="utf-8")
        beside.replace(self.path)
        self.seen = text
