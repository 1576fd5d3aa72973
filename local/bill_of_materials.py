"""What the stack and the wheel are made of, as a CycloneDX document, from the lock files: `make build` writes it.

layers/dependencies/requirements.txt   the packages of the functions
constraints.txt                          those that the wheel needs, with its extras
web/package-lock.json                  those of the page, less those that only build it
"""

import json
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

ROOT = Path(__file__).parents[1]
PYTHON_LOCKS = ("layers/dependencies/requirements.txt", "constraints.txt")
PAGE_LOCK = "web/package-lock.json"
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", re.MULTILINE)


def bill_of_materials(root: Path = ROOT) -> dict[str, Any]:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    components = {each["purl"]: each for each in (*_python(root), *_page(root))}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": project["name"], "version": project["version"]}},
        "components": [components[purl] for purl in sorted(components)],
    }


def _python(root: Path) -> Iterator[dict[str, Any]]:
    for lock in PYTHON_LOCKS:
        for name, version in _PIN.findall((root / lock).read_text(encoding="utf-8")):
            yield _component(name, version, f"pkg:pypi/{name.lower().replace('_', '-')}@{version}")


def _page(root: Path) -> Iterator[dict[str, Any]]:
    packages = json.loads((root / PAGE_LOCK).read_text(encoding="utf-8"))["packages"]
    for folder, package in packages.items():
        name = folder.rpartition("node_modules/")[2]
        if name and not package.get("dev") and not package.get("devOptional") and not name.startswith("@types/"):
            purl = f"pkg:npm/{quote(name, safe='/')}@{package['version']}"
            yield _component(name, package["version"], purl) | {"licenses": [{"expression": package["license"]}]}


def _component(name: str, version: str, purl: str) -> dict[str, Any]:
    return {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}


if __name__ == "__main__":
    json.dump(bill_of_materials(), sys.stdout, indent=2)
    sys.stdout.write("\n")
