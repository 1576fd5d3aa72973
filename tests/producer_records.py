"""The events that real producers sent (tests/fixtures/producers), in the order of their arrival."""

import gzip
import json
from pathlib import Path

from headwater.openlineage import exact_json
from headwater.openlineage.nameless import with_named_datasets
from tests.factory import Document

FOLDER = Path(__file__).parent / "fixtures" / "producers"
PROGRAMS = FOLDER.parent / "spark-programs"


def recorded(engine: str, scenario: str) -> list[Document]:
    """The events of a scenario, as the API lets them in."""
    (path,) = [*FOLDER.glob(f"{engine}/{scenario}.jsonl"), *FOLDER.glob(f"{engine}/{scenario}.jsonl.gz")]
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text(encoding="utf-8")
    return [with_named_datasets(json.loads(line)["event"]).document for line in text.splitlines()]


def recorded_program(name: str) -> list[Document]:
    """The events of a program of Spark, as its listener sent them."""
    text = gzip.decompress((PROGRAMS / f"{name}.jsonl.gz").read_bytes()).decode()
    return [exact_json.loads(line)["event"] for line in text.splitlines()]


def scenarios(engine: str) -> list[str]:
    return sorted({path.name.split(".")[0] for path in (FOLDER / engine).glob("*.jsonl*")})
