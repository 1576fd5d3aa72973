"""Deploys template.yaml into the emulator, with the API calls for what its CloudFormation refuses."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from headwater.cli.machine.failure import Failure
from headwater.cli.machine.progress import Say
from local.alerts.datadog import Datadog
from local.deploy import cloudformation
from local.deploy.batch_grants import grant_batches
from local.deploy.code_deploy import without_code_deploy
from local.deploy.event_resources import create, extract
from local.deploy.packages import content_name, function_package, layer_package
from local.deploy.template import package, read_template, without_key_guards, without_rates
from local.emulator.account import Account
from local.layout import Layout

BUCKET = "headwater-code"
TEMPLATE_KEY = "template.json"
DATADOG_SECRET = "headwater-datadog-key"  # noqa: S105 - its name


class Uploads:
    """Creates the bucket, and puts the template and the packages of its code into the bucket."""

    def __init__(self, layout: Layout, account: Account) -> None:
        self.layout = layout
        self.s3 = account.s3
        with suppress(self.s3.exceptions.BucketAlreadyOwnedByYou):  # of a deployment that was killed
            self.s3.create_bucket(Bucket=BUCKET)

    def put_code(self, resource_type: str, folder: Path) -> str:
        """Package the folder of a function or layer, upload it under its hash, and return its address."""
        is_layer = resource_type == "AWS::Serverless::LayerVersion"
        package = layer_package(self.layout, folder) if is_layer else function_package(folder)
        key = content_name(package)
        self.s3.put_object(Bucket=BUCKET, Key=key, Body=package)
        return f"s3://{BUCKET}/{key}"

    def put_template(self, body: str) -> str:
        """Upload the template and return its URL. A template inside a request may only have 51,200 bytes."""
        self.s3.put_object(Bucket=BUCKET, Key=TEMPLATE_KEY, Body=body.encode())
        return f"https://s3.amazonaws.com/{BUCKET}/{TEMPLATE_KEY}"


@dataclass(frozen=True)
class Deployment:
    """The deployed stack: the physical ids of its resources by type, and its outputs."""

    account: Account
    resources: dict[str, list[str]]
    outputs: dict[str, str]

    def only(self, resource_type: str) -> str:
        """Return the physical id of the one resource of a type."""
        (physical_id,) = self.resources[resource_type]
        return physical_id

    @property
    def api_url(self) -> str:
        """The emulator's own address of the HTTP API; clients use the address of the front."""
        return f"{self.account.endpoint}/_aws/execute-api/{self.only('AWS::ApiGatewayV2::Api')}/$default"


@dataclass(frozen=True)
class DeploymentOptions:
    """`url` is the public URL of the API, `iam` enforces the roles, `parameters` override defaults of the template."""

    layout: Layout
    url: str
    iam: bool
    datadog: Datadog
    parameters: Mapping[str, str]


def deploy(options: DeploymentOptions, account: Account, say: Say) -> Deployment:
    """Create the stack, or update the one that a data folder kept to this template and code. Raises Failure."""
    template = without_code_deploy(without_rates(without_key_guards(read_template(options.layout.template))))
    refuse_unknown(options.parameters, template["Parameters"])
    event_resources = extract(template, cloudformation.STACK)
    uploads = Uploads(options.layout, account)
    url = uploads.put_template(package(template, options.layout.root, uploads.put_code))
    defaults = {"DatadogKeySecretArn": put_datadog_secret(account, options.datadog), "PublicUrl": options.url}
    cloudformation.create_or_update(account, url, {**defaults, **options.parameters})
    cloudformation.wait_until_deployed(account)
    deployment = Deployment(account, cloudformation.resources(account), cloudformation.outputs(account))
    created = ", ".join(create(account, event_resources, deployment.outputs, options.datadog))
    say(f"created by API call, because the emulator's CloudFormation cannot create them: {created}")
    if options.iam:
        for role in grant_batches(account, deployment.resources["AWS::IAM::Role"]):
            say(f"granted to {role}, because the emulator's IAM asks for it: sqs:SendMessageBatch")
    return deployment


def refuse_unknown(given: Iterable[str], known: Iterable[str]) -> None:
    """Raise Failure for parameters that the template lacks, as CloudFormation does. Workaround: unknown-parameters."""
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise Failure(f"template.yaml has no parameter {', '.join(unknown)}", f"take one of {', '.join(sorted(known))}")


def put_datadog_secret(account: Account, datadog: Datadog) -> str:
    """Put the key of the stand-in for Datadog into a secret, and return its ARN, as a team does with its key."""
    secrets = account.secretsmanager
    try:
        return secrets.create_secret(Name=DATADOG_SECRET, SecretString=datadog.key)["ARN"]
    except secrets.exceptions.ResourceExistsException:
        return secrets.put_secret_value(SecretId=DATADOG_SECRET, SecretString=datadog.key)["ARN"]
