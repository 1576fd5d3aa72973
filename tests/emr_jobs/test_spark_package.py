"""What `make jobs` packs for --py-files is enough for a job to import headwater.spark, under its old name, too."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

from tests.serve.process import ROOT

IMPORTS = "import headwater.spark, job_lineage; print(headwater.spark.__file__, job_lineage.lineage.__module__)"


def test_a_job_imports_the_package_from_the_zip(tmp_path: Path) -> None:
    package = tmp_path / "headwater_spark.zip"
    settings = [f"STATE={tmp_path}", f"BIN={Path(sys.executable).parent}", "-o", f"{tmp_path}/venv.stamp"]
    subprocess.run(["make", "--silent", *settings, package], cwd=ROOT, check=True)  # noqa: S603, S607
    assert {name.rpartition("/")[0] for name in zipfile.ZipFile(package).namelist() if name.endswith(".py")} == {
        "headwater",
        "headwater/spark",
        "",
    }
    environment = {**os.environ, "PYTHONPATH": str(package)}
    command = [sys.executable, "-P", "-W", "ignore", "-c", IMPORTS]
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)  # noqa: S603
    assert run.stdout.split() == [f"{package}/headwater/spark/__init__.py", "headwater.spark.application"]
