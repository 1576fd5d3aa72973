"""What the tables of the dbt project are made of. No Spark is needed."""

import os
import shutil
import subprocess
from pathlib import Path

from headwater.cli.testing.lineage import LineageOfTest

PROJECT = Path(__file__).parents[1] / "dbt"
RECORDED = Path(__file__).with_name("dbt_events.jsonl")
FOLDER = "/srv/campaigns"
"""Where the database was when the events were recorded."""


def test_reach_of_campaigns(lineage: LineageOfTest, tmp_path: Path) -> None:
    events = tmp_path / "events.jsonl"
    if shutil.which("dbt-ol"):
        run_dbt(tmp_path, events)
    else:  # without dbt, what `dbt-ol` sent of this project
        events.write_text(RECORDED.read_text().replace(FOLDER, str(tmp_path)))
    lineage.load(events)
    lineage.column("reach.people").comes_from("raw_clicks.mail_hash")
    lineage.assert_matches_snapshot()


def run_dbt(folder: Path, events: Path) -> None:
    environment = {
        **os.environ,
        "CAMPAIGNS_FOLDER": str(folder),
        "DBT_PROFILES_DIR": str(PROJECT),
        "DBT_TARGET_PATH": str(folder / "target"),
        "DBT_LOG_PATH": str(folder / "logs"),
        "OPENLINEAGE_NAMESPACE": "campaigns",
        "OPENLINEAGE__TRANSPORT__TYPE": "file",
        "OPENLINEAGE__TRANSPORT__LOG_FILE_PATH": str(events),
        "OPENLINEAGE__TRANSPORT__APPEND": "true",
    }
    for command in ("seed", "run"):
        subprocess.run(["dbt-ol", command, "--project-dir", str(PROJECT)], env=environment, cwd=PROJECT, check=True)
