"""The emulator gets the template unchanged, except for the places of the code."""

import json
from pathlib import Path
from typing import Any

import pytest

from headwater.cli.machine.failure import Failure
from local.deploy.template import package, read_template
from local.layout import Layout

TEXT = """
Transform: AWS::Serverless-2016-10-31
Resources:
  Queue: {Type: AWS::SQS::Queue, Properties: {FifoQueue: true}}
  Ingest:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: functions/ingest
      Environment: {Variables: {QUEUE_URL: !Ref Queue, QUEUE_ARN: !GetAtt Queue.Arn}}
  Layer:
    Type: AWS::Serverless::LayerVersion
    Properties: {ContentUri: layers/headwater}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "functions" / "ingest").mkdir(parents=True)
    (tmp_path / "layers" / "headwater").mkdir(parents=True)
    (tmp_path / "template.yaml").write_text(TEXT)
    return tmp_path


def upload(resource_type: str, folder: Path) -> str:
    return f"s3://code/{resource_type.rpartition('::')[2]}-{folder.name}"


def deployed(root: Path) -> dict[str, Any]:
    template: dict[str, Any] = json.loads(package(read_template(root / "template.yaml"), root, upload))
    return template


def test_folders_of_code_become_uploads(root: Path) -> None:
    resources = deployed(root)["Resources"]
    assert resources["Ingest"]["Properties"]["CodeUri"] == "s3://code/Function-ingest"
    assert resources["Layer"]["Properties"]["ContentUri"] == "s3://code/LayerVersion-headwater"


def test_nothing_else_changes(root: Path) -> None:
    before, after = read_template(root / "template.yaml"), deployed(root)
    before["Resources"]["Ingest"]["Properties"].pop("CodeUri")
    after["Resources"]["Ingest"]["Properties"].pop("CodeUri")
    before["Resources"]["Layer"]["Properties"].pop("ContentUri")
    after["Resources"]["Layer"]["Properties"].pop("ContentUri")
    assert after == before
    variables = after["Resources"]["Ingest"]["Properties"]["Environment"]["Variables"]
    assert variables == {"QUEUE_URL": {"Ref": "Queue"}, "QUEUE_ARN": {"Fn::GetAtt": ["Queue", "Arn"]}}


def test_missing_code_is_a_failure_with_the_name_of_the_resource(root: Path) -> None:
    (root / "functions" / "ingest").rmdir()
    with pytest.raises(Failure, match=r"Ingest\.CodeUri"):
        deployed(root)


def test_the_projects_own_template_can_be_packaged() -> None:
    layout = Layout.here()
    assert "s3://code/" in package(read_template(layout.template), layout.root, upload)
