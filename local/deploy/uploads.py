"""The emulator's S3 bucket for the template and the code."""

from contextlib import suppress
from pathlib import Path

from local.deploy.packages import content_name, function_package, layer_package
from local.emulator.account import Account
from local.layout import Layout

BUCKET = "headwater-code"
TEMPLATE_KEY = "template.json"


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
