"""Each role that may send messages is granted the emulator's batch action on the same queues."""

import json
from typing import Any, cast

from local.deploy.batch_grants import POLICY, grant_batches
from local.emulator.account import Account

SEND = {"Effect": "Allow", "Action": "sqs:SendMessage", "Resource": "arn:aws:sqs:us-east-1:000000000000:events.fifo"}
RECEIVE = {"Effect": "Allow", "Action": ["sqs:ReceiveMessage"], "Resource": "*"}
REFUSE = {"Effect": "Deny", "Action": ["sqs:SendMessage"], "Resource": "*"}


class FakeIam:
    def __init__(self, **statements: list[dict[str, Any]]) -> None:
        self.statements = statements
        self.put: dict[str, dict[str, Any]] = {}

    def list_role_policies(self, RoleName: str) -> dict[str, list[str]]:  # noqa: N803
        return {"PolicyNames": ["own"]}

    def get_role_policy(self, RoleName: str, PolicyName: str) -> dict[str, Any]:  # noqa: N803
        return {"PolicyDocument": {"Statement": self.statements[RoleName]}}

    def put_role_policy(self, RoleName: str, PolicyName: str, PolicyDocument: str) -> None:  # noqa: N803
        self.put[RoleName] = {PolicyName: json.loads(PolicyDocument)["Statement"]}


class FakeAccount:
    def __init__(self, iam: FakeIam) -> None:
        self.iam = iam


def test_only_roles_that_may_send_may_send_batches() -> None:
    iam = FakeIam(ingest=[SEND, REFUSE], normalise=[RECEIVE])
    assert list(grant_batches(cast(Account, FakeAccount(iam)), ["ingest", "normalise"])) == ["ingest"]
    assert iam.put == {"ingest": {POLICY: [SEND | {"Action": "sqs:SendMessageBatch"}]}}
