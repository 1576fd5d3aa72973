"""`sam local` runs the deployed functions, and reaches the emulator and no account of AWS."""

import socket
import urllib.request
from pathlib import Path

import pytest

from headwater.cli.machine.failure import Failure
from local.deploy.template import read_template
from local.layout import Layout
from local.samples.emulated_runtime import EmulatedFunction
from local.samples.forwarder import forwarded, gateway
from local.samples.sam_local import write_template
from local.samples.sam_template import LAYERS, RUNTIME, sam_template
from tests.upstream import Upstream, serving

ENDPOINT = "http://10.88.0.1:4566"
FUNCTIONS = {name: EmulatedFunction(name, {"TABLE_NAME": "t"}, 15) for name in ("ingest", "glue_import")}


def test_functions_have_their_names_layers_and_runtime_of_the_deployed_template() -> None:
    deployed = read_template(Layout.here().template)
    resources = sam_template(Layout.here(), FUNCTIONS, ENDPOINT)["Resources"]
    assert resources.keys() == {"IngestFunction", "GlueImportFunction", *LAYERS}
    assert resources.keys() <= deployed["Resources"].keys()
    assert deployed["Globals"]["Function"]["Runtime"] == RUNTIME
    assert [each["Ref"] for each in deployed["Globals"]["Function"]["Layers"]] == list(LAYERS)


def test_each_function_has_the_endpoint_of_the_emulator_and_credentials_that_no_account_has() -> None:
    for name in ("IngestFunction", "GlueImportFunction"):
        function = sam_template(Layout.here(), FUNCTIONS, ENDPOINT)["Resources"][name]
        variables = function["Properties"]["Environment"]["Variables"]
        assert (variables["AWS_ENDPOINT_URL"], variables["AWS_ACCESS_KEY_ID"]) == (ENDPOINT, "000000000000")
        assert variables["AWS_SESSION_TOKEN"] == "", "the token of the user is hidden"
        assert variables["TABLE_NAME"] == "t"


def test_layers_that_are_not_built_are_told_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(Failure, match="the layers are not built") as failure:
        write_template(Layout(tmp_path), FUNCTIONS, ENDPOINT)
    assert "make build" in str(failure.value)


def test_without_docker_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    with pytest.raises(Failure, match="does not answer as Docker does") as failure:
        gateway()
    assert "DOCKER_HOST=" in str(failure.value)


def test_the_forwarder_reaches_the_emulator_and_listens_on_one_address() -> None:
    with serving(Upstream(body=b'{"ok": true}')) as upstream, forwarded(upstream.url, "127.0.0.2") as reachable:
        with urllib.request.urlopen(f"{reachable}/", timeout=5) as response:  # noqa: S310
            assert response.read() == b'{"ok": true}'
        port = int(reachable.rpartition(":")[2])
        with socket.socket() as elsewhere:
            assert elsewhere.connect_ex(("127.0.0.1", port)) != 0
