"""Runs the jobs of pipeline/Shop.java on Flink, each in a JVM with the local executor, beside a Kafka broker."""

from pathlib import Path

import yaml

from headwater.cli.engines.trial import NAMESPACE, Trial
from headwater.cli.jvm.jars import jar_files
from headwater.cli.jvm.java import java_home
from headwater.cli.jvm.kafka import run_broker
from headwater.cli.machine.ports import free_port
from headwater.cli.machine.private_file import write_private

TABLE = "paid_orders"
PROGRAM = Path(__file__).parent / "pipeline" / "Shop.java"
FLINK_PINS, COMPILER_PINS = Path(__file__).with_name("flink.sha256"), Path(__file__).with_name("compiler.sha256")
JOBS = ("take_orders", "clear_payments", "keep_large_orders", "fail")
"""The last job throws at order 7. The file that keep_large_orders writes comes without a namespace."""
OPENED = [f"--add-opens=java.base/java.{package}=ALL-UNNAMED" for package in ("util", "lang", "time")]
"""Flink 2.0 reads private members of these packages."""
SMALL = ["-Xmx700m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"]


def run(trial: Trial) -> None:
    java = java_home(trial.state) / "bin" / "java"
    jars = jar_files(trial.state, FLINK_PINS)
    classes = compiled(trial, java, jars)
    write_private(trial.folder / "config.yaml", yaml.safe_dump(settings(trial)))
    path = ":".join(map(str, [classes, *jars]))
    with run_broker(trial.state, trial.folder / "kafka") as bootstrap:
        for job in JOBS:
            trial.say(f"Flink: {job}")
            command: list[str | Path] = [java, *SMALL, *OPENED, "-cp", path, "Shop", job, bootstrap, trial.folder]
            trial.program(command, {"FLINK_CONF_DIR": str(trial.folder)}, fails=job == JOBS[-1])


def compiled(trial: Trial, java: Path, jars: list[Path]) -> Path:
    """Return the folder of the compiled program. The compiler is a jar, since a Java from a wheel has none."""
    classes = trial.folder / "classes"
    (compiler,) = jar_files(trial.state, COMPILER_PINS)
    options = ["-17", "-nowarn", "-proc:none", "-cp", ":".join(map(str, jars)), "-d", str(classes)]
    trial.program([java, "-jar", compiler, *options, PROGRAM], {})
    return classes


def settings(trial: Trial) -> dict[str, object]:
    """Return Flink's settings: docs/producers/flink.md explains those of the listener."""
    listener = {
        "execution.job-status-changed-listeners": (
            "io.openlineage.flink.listener.OpenLineageJobStatusChangedListenerFactory"
        ),
        "openlineage.transport.type": "http",
        "openlineage.transport.url": trial.url,
        "openlineage.transport.endpoint": "/api/v1/lineage",
        "openlineage.job.namespace": NAMESPACE,
        "openlineage.enableDetachedJobTracking": True,
        "openlineage.trackingIntervalInSeconds": 2,
    }
    key = {"openlineage.transport.auth.type": "api_key", "openlineage.transport.auth.apiKey": trial.key}
    return {
        **listener,
        **(key if trial.key else {}),
        "execution.checkpointing.interval": "1s",
        "restart-strategy.type": "disable",
        "rest.port": free_port(),
    }
