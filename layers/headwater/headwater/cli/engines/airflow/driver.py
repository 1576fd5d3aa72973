"""Runs the DAGs of this folder with `airflow dags test`, the first of them on a Postgres. The second DAG fails."""

from pathlib import Path

from headwater.cli.engines.airflow.postgres import run_postgres
from headwater.cli.engines.trial import NAMESPACE, Trial
from headwater.cli.machine.python_environment import bin_folder

TABLE = "shop.public.revenue"
REQUIREMENTS, DAGS = Path(__file__).with_name("requirements.txt"), Path(__file__).with_name("dags")


def run(trial: Trial) -> None:
    programs = bin_folder(trial.state, "airflow", REQUIREMENTS)
    airflow = programs / "airflow"
    with run_postgres(programs, trial.folder / "postgres") as address:
        variables = {
            **trial.python_client(),
            "AIRFLOW_HOME": str(trial.folder / "airflow"),
            "AIRFLOW__CORE__DAGS_FOLDER": str(DAGS),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW__OPENLINEAGE__NAMESPACE": NAMESPACE,
            "AIRFLOW_CONN_SHOP": f"postgres://shop@{address}/shop",
            "PATH": f"{programs}:/usr/bin:/bin",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        trial.say("airflow db migrate")
        trial.program([airflow, "db", "migrate"], variables)
        for dag in ("shop", "shop_python"):
            trial.say(f"airflow dags test {dag}")
            trial.program([airflow, "dags", "test", dag], variables, fails=dag == "shop_python")
