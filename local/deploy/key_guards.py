"""Takes the guards of key conditions out of a template.

Workaround: leading-keys. A role that may write items of some keys has `ForAllValues:StringLike` on them, which is
true also for a request without keys; `Null` beside it demands that there are keys. The emulator's IAM does not know
that condition key, so that `Null` would refuse each write.
"""

from typing import Any

LEADING_KEYS = "dynamodb:LeadingKeys"


def without_key_guards(value: Any) -> Any:
    """A part of a template, without the guards."""
    if isinstance(value, dict):
        members = {name: member for name, member in value.items() if name != "Null" or LEADING_KEYS not in member}
        return {name: without_key_guards(member) for name, member in members.items()}
    return [without_key_guards(member) for member in value] if isinstance(value, list) else value
