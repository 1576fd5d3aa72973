"""Runs the project of this folder with dbt-ol: seeds, models, and a test that fails."""

import shutil
from pathlib import Path

from headwater.cli.engines.trial import Trial
from headwater.cli.machine.python_environment import bin_folder

TABLE = "revenue_by_country"
REQUIREMENTS, PROJECT = Path(__file__).with_name("requirements.txt"), Path(__file__).with_name("project")
COMMANDS = (("seed",), ("run",), ("test", "--vars", "{countries: [GB, FR]}"))
"""The last command accepts no DE, and there is one: a test of paid_orders fails."""


def run(trial: Trial) -> None:
    programs = bin_folder(trial.state, "dbt", REQUIREMENTS)
    shutil.copytree(PROJECT, trial.folder, dirs_exist_ok=True)
    variables = {
        **trial.python_client(),
        "SHOP_FOLDER": str(trial.folder),
        "DBT_PROFILES_DIR": str(trial.folder),
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        "PATH": f"{programs}:/usr/bin:/bin",
    }
    for command in COMMANDS:
        trial.say(f"dbt-ol {' '.join(command)}")
        trial.program([programs / "dbt-ol", *command], variables, fails=command is COMMANDS[-1])
