"""EventBridge's input transformer, strictly as AWS documents it.

A placeholder outside quotes becomes JSON. A placeholder in quotes becomes the plain value: "EventBridge doesn't escape
values extracted by Input Path",
https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-transform-target-input.html. AWS does not document null in
quotes: the caller chooses its text.
"""

import json
import re
from typing import Any

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|<([\w-]+)>')
PLACEHOLDER = re.compile(r"<([\w-]+)>")


def rendered(transformer: dict[str, Any], event: dict[str, Any], null_in_quotes: str = "") -> str:
    values = {name: value_at(event, path) for name, path in transformer["InputPathsMap"].items()}

    def in_quotes(placeholder: re.Match[str]) -> str:
        value = values[placeholder[1]]
        return null_in_quotes if value is None else str(value)

    def token(match: re.Match[str]) -> str:
        if match[1]:
            return json.dumps(values[match[1]], ensure_ascii=False)
        return PLACEHOLDER.sub(in_quotes, match[0])

    return TOKEN.sub(token, transformer["InputTemplate"])


def value_at(event: dict[str, Any], path: str) -> Any:
    value: Any = event
    for name in path.removeprefix("$.").split("."):
        value = value[name]
    return value


def in_quotes(template: str) -> set[str]:
    literals = (match[0] for match in TOKEN.finditer(template) if not match[1])
    return {name for literal in literals for name in PLACEHOLDER.findall(literal)}
