"""Print the listener's settings for the definition of a cluster: then jobs need no settings of their own.

    configuration.py emr --release 7.10.0 --url $API_URL --namespace prod > configurations.json
    aws emr create-cluster --configurations file://configurations.json ...

The settings contain no key: emr and eks read the key from a file, serverless from Secrets Manager, glue by glue_key.py.
"""

import argparse
import json
import re
from collections.abc import Callable

LISTENER = "io.openlineage.spark.agent.OpenLineageSparkListener"
SHIPPED_SINCE = (7, 11)
"""The first release of EMR with the listener. Glue has the listener from 5.0 on."""
JAR = "/usr/lib/headwater/openlineage-spark.jar"
KEY_FILE = "/etc/headwater/openlineage.yml"
FILE_VARIABLE = "OPENLINEAGE_CONFIG"
PATIENCE = {
    "spark.openlineage.circuitBreaker.type": "asyncTaskQueue",
    "spark.openlineage.circuitBreaker.threadCount": "1",
    "spark.openlineage.circuitBreaker.queueSize": "10",
    "spark.openlineage.circuitBreaker.blockingTimeInSeconds": "1",
    "spark.openlineage.circuitBreaker.shutdownTimeoutSeconds": "5",
}
"""With these settings, an API that answers slowly delays a job by seconds, not by the time of all responses
together."""
DISCRETION = {
    "spark.scheduler.listenerbus.logSlowEvent": "false",
    "spark.redaction.regex": "(?i)secret|password|token|access[.]?key|api[.]?key",
}
"""For a key in a setting: Spark's UI shows all settings, and Spark logs them when an event takes over a second."""

Settings = dict[str, str]


def listener(url: str, namespace: str) -> Settings:
    return {
        "spark.extraListeners": LISTENER,
        "spark.openlineage.namespace": namespace,
        "spark.openlineage.transport.type": "http",
        "spark.openlineage.transport.url": url,
        "spark.openlineage.transport.endpoint": "/api/v1/lineage",
        "spark.openlineage.transport.compression": "gzip",
        "spark.openlineage.columnLineage.descriptionsEnabled": "true",
        **PATIENCE,
    }


def ships(release: str) -> bool:
    """Whether a release of EMR, as `7.11.0` or `emr-7.11.0`, has the listener."""
    major, minor = release.removeprefix("emr-").split(".")[:2]
    return (int(major), int(minor)) >= SHIPPED_SINCE


def release(text: str) -> str:
    """Return a release of EMR. Raises ArgumentTypeError for another text."""
    if not re.fullmatch(r"(emr-)?\d+\.\d+(\.\d+)?", text):
        raise argparse.ArgumentTypeError(f"{text} is no release, such as 7.11.0")
    return text


def address(text: str) -> str:
    """Return a URL that jobs can post to. Raises ArgumentTypeError for another text, and for spaces and quotes."""
    if not re.fullmatch(r"https?://[^\s\"'\\]+", text):
        raise argparse.ArgumentTypeError(f"{text} is not an http or https URL")
    return text


def plain(text: str) -> str:
    """Return a namespace that all platforms accept. Raises ArgumentTypeError for spaces, at which Glue splits
    settings."""
    if not re.fullmatch(r"[^\s\"'\\]+", text):
        raise argparse.ArgumentTypeError("a namespace without spaces and quotes is wanted")
    return text


def emr(options: argparse.Namespace) -> object:
    """Classifications for EMR on EC2, with the files of bootstrap.sh."""
    jars = [jar for jar in (None if ships(options.release) else JAR, options.jar) if jar]
    settings = listener(options.url, options.namespace) | ({"spark.jars": ",".join(jars)} if jars else {})
    settings[f"spark.yarn.appMasterEnv.{FILE_VARIABLE}"] = KEY_FILE
    export = {"Classification": "export", "Properties": {FILE_VARIABLE: KEY_FILE}}
    return [
        {"Classification": "spark-defaults", "Properties": settings},
        {"Classification": "spark-env", "Properties": {}, "Configurations": [export]},
    ]


def serverless(options: argparse.Namespace) -> object:
    """The runtime configuration of an EMR Serverless application. The service reads the key from Secrets Manager."""
    jar = {"spark.jars": options.jar} if options.jar else {}
    auth = {"auth.type": "api_key", "auth.apiKey": f"EMR.secret@{options.secret}"}
    key = {f"spark.openlineage.transport.{name}": value for name, value in auth.items()}
    settings = listener(options.url, options.namespace) | jar | key | DISCRETION
    return [{"classification": "spark-defaults", "properties": settings}]


def eks(options: argparse.Namespace) -> object:
    """Configuration overrides for EMR on EKS; the file with the key is a Kubernetes secret in the job's namespace."""
    folder, _, _ = KEY_FILE.rpartition("/")
    jar = {"spark.jars": options.jar} if options.jar else {}
    of_driver = {
        "spark.kubernetes.driver.secrets.headwater-listener": folder,
        f"spark.kubernetes.driverEnv.{FILE_VARIABLE}": KEY_FILE,
    }
    settings = listener(options.url, options.namespace) | jar | of_driver
    return {"applicationConfiguration": [{"classification": "spark-defaults", "properties": settings}]}


def glue(options: argparse.Namespace) -> object:
    """Default arguments of a Glue job, which has several settings in one argument. glue_key.py adds the key."""
    settings = listener(options.url, options.namespace)
    arguments = {"--conf": " --conf ".join(f"{name}={value}" for name, value in settings.items())}
    return arguments | ({"--extra-jars": options.jar, "--user-jars-first": "true"} if options.jar else {})


PLATFORMS: dict[str, Callable[[argparse.Namespace], object]] = {
    "emr": emr,
    "serverless": serverless,
    "eks": eks,
    "glue": glue,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("platform", choices=PLATFORMS)
    parser.add_argument("--url", type=address, required=True, help="of the API, as the output ApiUrl says")
    parser.add_argument("--namespace", type=plain, required=True, help="that the jobs report in")
    parser.add_argument(
        "--release", type=release, default="7.11.0", help="of EMR (default: %(default)s, which has the listener)"
    )
    parser.add_argument(
        "--jar",
        help="s3:// addresses of jars, with commas: headwater-spark.jar, and, where the release has no listener or an "
        "old one, the listener's (on EMR on EC2 bootstrap.sh takes that)",
    )
    parser.add_argument("--secret", help="ARN of the secret that holds the key (serverless)")
    options = parser.parse_args()
    if options.platform == "serverless" and not options.secret:
        parser.error("serverless needs --secret")
    if options.platform in ("serverless", "eks") and not ships(options.release) and not options.jar:
        parser.error(f"EMR {options.release} has no listener: name its jar by --jar")
    print(json.dumps(PLATFORMS[options.platform](options), indent=2))


if __name__ == "__main__":
    main()
