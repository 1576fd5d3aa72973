"""A template of the deployed functions for `sam local invoke`, which cannot reach an account of AWS.

Each function has the variables that it has in the embedded stack, the endpoint of the emulator, and credentials that no
account has. They are in the template, because `sam local` ignores variables of an env file that a template lacks, such
as AWS_ENDPOINT_URL, and would then call AWS itself with the credentials of its user.
"""

import platform
from collections.abc import Mapping
from typing import Any

from local.emulator.account import ACCOUNT_ID, REGION, SECRET_KEY
from local.layout import Layout
from local.samples.emulated_runtime import EmulatedFunction

RUNTIME = "python3.12"
LAYERS = ("DependenciesLayer", "HeadwaterLayer")
ARCHITECTURES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "arm64", "arm64": "arm64"}
MEMORY = 1024


def sam_template(layout: Layout, functions: Mapping[str, EmulatedFunction], endpoint: str) -> dict[str, Any]:
    """The template, with the layers of `make build` and the emulator at an endpoint that containers reach."""
    built = layout.root / ".aws-sam" / "build"
    layers = {
        name: {
            "Type": "AWS::Serverless::LayerVersion",
            "Properties": {"ContentUri": str(built / name), "CompatibleRuntimes": [RUNTIME]},
        }
        for name in LAYERS
    }
    return {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Transform": "AWS::Serverless-2016-10-31",
        "Resources": layers
        | {logical_name(name): _function(layout, function, endpoint) for name, function in functions.items()},
    }


def logical_name(function: str) -> str:
    """The name of a function in template.yaml: GlueImportFunction for glue_import."""
    return f"{function.title().replace('_', '')}Function"


def _function(layout: Layout, function: EmulatedFunction, endpoint: str) -> dict[str, Any]:
    return {
        "Type": "AWS::Serverless::Function",
        "Properties": {
            "CodeUri": str(layout.root / "functions" / function.name),
            "Handler": "app.handler",
            "Runtime": RUNTIME,
            "Architectures": [ARCHITECTURES[platform.machine()]],
            "MemorySize": MEMORY,
            "Timeout": function.timeout,
            "Layers": [{"Ref": name} for name in LAYERS],
            "Environment": {"Variables": {**function.variables, **harmless(endpoint)}},
        },
    }


def harmless(endpoint: str) -> dict[str, str]:
    """Variables that keep every call away from AWS accounts. An empty session token hides the user's."""
    return {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ACCESS_KEY_ID": ACCOUNT_ID,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
        "AWS_SESSION_TOKEN": "",
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_EC2_METADATA_DISABLED": "true",
    }
