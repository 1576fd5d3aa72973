"""The files of settings of a Trino server of one node, with the listener: docs/producers/trino.md explains it."""

from pathlib import Path

from headwater.cli.engines.trial import NAMESPACE, Trial
from headwater.cli.machine.private_file import write_private

JVM = "-Xmx1600m\n-XX:+UseSerialGC\n-XX:TieredStopAtLevel=1\n"


def write_settings(trial: Trial, port: int) -> Path:
    """Write the settings, and return their folder. The catalog lake has Iceberg tables in files."""
    folder = trial.folder / "etc"
    (folder / "catalog").mkdir(parents=True)
    listener = folder / "openlineage.properties"
    write_private(listener, properties(listener_settings(trial, port)))
    files = {
        "config.properties": {
            "coordinator": "true",
            "node-scheduler.include-coordinator": "true",
            "http-server.http.port": str(port),
            "discovery.uri": f"http://127.0.0.1:{port}",
            "event-listener.config-files": str(listener),
            "query.max-memory-per-node": "256MB",
            "memory.heap-headroom-per-node": "256MB",
        },
        "node.properties": {"node.environment": NAMESPACE},
        "catalog/tpch.properties": {"connector.name": "tpch"},
        "catalog/lake.properties": {
            "connector.name": "iceberg",
            "iceberg.catalog.type": "TESTING_FILE_METASTORE",
            "hive.metastore.catalog.dir": "local:///lake",
            "fs.native-local.enabled": "true",
            "local.location": str(trial.folder),
        },
    }
    for name, settings in files.items():
        (folder / name).write_text(properties(settings), encoding="utf-8")
    (folder / "jvm.config").write_text(JVM, encoding="utf-8")
    return folder


def listener_settings(trial: Trial, port: int) -> dict[str, str]:
    prefix = "openlineage-event-listener"
    return {
        "event-listener.name": "openlineage",
        f"{prefix}.trino.uri": f"http://127.0.0.1:{port}",
        f"{prefix}.namespace": NAMESPACE,
        f"{prefix}.transport.type": "HTTP",
        f"{prefix}.transport.url": trial.url,
        f"{prefix}.transport.endpoint": "/api/v1/lineage",
        **({f"{prefix}.transport.api-key": trial.key} if trial.key else {}),
    }


def properties(settings: dict[str, str]) -> str:
    return "".join(f"{name}={value}\n" for name, value in settings.items())
