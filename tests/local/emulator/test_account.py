"""None of the user's AWS settings gets into the embedded stack."""

import os

from local.emulator.account import ACCOUNT_ID, Account, scrubbed


def test_the_users_aws_settings_are_dropped() -> None:
    user = {"AWS_PROFILE": "prod", "AWS_SESSION_TOKEN": "t", "AWS_ENDPOINT_URL": "https://x", "PATH": "/bin"}
    clean = scrubbed(user)
    assert clean["PATH"] == "/bin"
    assert not {"AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL"} & clean.keys()
    assert clean["AWS_ACCESS_KEY_ID"] == ACCOUNT_ID
    assert clean["AWS_CONFIG_FILE"] == clean["AWS_SHARED_CREDENTIALS_FILE"] == os.devnull


def test_loopback_is_never_asked_through_a_proxy() -> None:
    clean = scrubbed({"HTTP_PROXY": "http://proxy:3128", "NO_PROXY": "internal"})
    assert clean["NO_PROXY"].split(",") == ["internal", "127.0.0.1", "localhost"]
    assert clean["no_proxy"] == clean["NO_PROXY"]


def test_clients_have_the_emulators_address_and_made_up_credentials() -> None:
    account = Account("http://127.0.0.1:9")
    signed = account.s3.generate_presigned_url("list_buckets")
    assert signed.startswith(f"http://127.0.0.1:9/?AWSAccessKeyId={ACCOUNT_ID}&")
    account.close()
