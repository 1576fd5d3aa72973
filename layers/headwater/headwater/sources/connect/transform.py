"""A transformation (SMT) in the settings of a connector."""

from collections.abc import Mapping
from typing import NamedTuple

Settings = Mapping[str, str]


class Transform(NamedTuple):
    """One transformation: its class without the package, its target (`Key`, `Value` or none), and its settings."""

    kind: str
    target: str
    settings: Settings
    is_conditional: bool

    def listed(self, *keys: str) -> list[str]:
        texts = [self.settings[key] for key in keys if self.settings.get(key)]
        return [entry.strip() for text in texts for entry in text.split(",") if entry.strip()]


def transforms_of(config: Settings) -> list[Transform]:
    """The transformations of a connector, in order."""
    return [_transform(config, name.strip()) for name in config.get("transforms", "").split(",") if name.strip()]


def _transform(config: Settings, name: str) -> Transform:
    start = f"transforms.{name}."
    settings = {key.removeprefix(start): text for key, text in config.items() if key.startswith(start)}
    kind, _, target = settings.get("type", "").rpartition(".")[2].partition("$")
    return Transform(kind, target, settings, bool(settings.get("predicate")))
