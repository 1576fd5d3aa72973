"""The paths of files and folders in a checkout. local/ only writes under `.local`."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Layout:
    """The folders and files of one checkout."""

    root: Path

    @classmethod
    def here(cls) -> "Layout":
        return cls(Path(__file__).resolve().parent.parent)

    @property
    def template(self) -> Path:
        return self.root / "template.yaml"

    @property
    def state(self) -> Path:
        return self.root / ".local"

    @property
    def uv(self) -> Path:
        return self.state / "uv" / "bin" / "uv"

    @property
    def endpoint(self) -> Path:
        """The public URL and a key of the stack that `make up` keeps running."""
        return self.state / "endpoint.json"

    @property
    def up_lock(self) -> Path:
        """Locked while `make up` runs; its text is the process id."""
        return self.state / "up.pid"

    @property
    def demo_lock(self) -> Path:
        return self.state / "demo.pid"

    def run(self, name: str) -> Path:
        """Return the folder for the logs and scratch files of a command (`up`, `demo`). A missing folder is created."""
        folder = self.state / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder
