"""Grants `sqs:SendMessageBatch` to the roles that may `sqs:SendMessage`.

Workaround: batch-action. On AWS the action `sqs:SendMessage`, which template.yaml grants, covers SendMessageBatch. The
emulator's IAM requires `sqs:SendMessageBatch`, an action that AWS does not have. Each statement that grants
`sqs:SendMessage` is repeated for the batch, on the same queues, in a further policy of the role.
"""

import json
from collections.abc import Iterator
from typing import Any

from local.emulator.account import Account

SINGLE = "sqs:SendMessage"
BATCH = "sqs:SendMessageBatch"
POLICY = "emulator-sends-batches"

Statement = dict[str, Any]


def grant_batches(account: Account, roles: list[str]) -> Iterator[str]:
    """Add the policy to each role that may send a message, and yield these roles."""
    for role in roles:
        statements = [batch_statement(statement) for statement in statements_of(account, role) if allows(statement)]
        if statements:
            document = json.dumps({"Version": "2012-10-17", "Statement": statements})
            account.iam.put_role_policy(RoleName=role, PolicyName=POLICY, PolicyDocument=document)
            yield role


def statements_of(account: Account, role: str) -> Iterator[Statement]:
    for name in account.iam.list_role_policies(RoleName=role)["PolicyNames"]:
        yield from account.iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"]["Statement"]


def allows(statement: Statement) -> bool:
    actions = statement["Action"]
    return statement["Effect"] == "Allow" and SINGLE in ([actions] if isinstance(actions, str) else actions)


def batch_statement(statement: Statement) -> Statement:
    return {"Effect": "Allow", "Action": BATCH, "Resource": statement["Resource"]}
