"""The claims of a person's token, as the identity provider wrote them.

API Gateway checks the token of a request, and passes its claims on as texts: the array `["team a", "b"]` becomes
`[team a b]`, which may as well be three groups. The checked token itself is in the request, in the header where API
Gateway found it. So arrays are read from the token.
"""

import base64
import json
import re
from collections.abc import Mapping
from typing import Any

_TOKEN = re.compile(r"(?:Bearer +)?[\w-]+\.([\w-]+)\.[\w-]+", re.ASCII | re.IGNORECASE)

_MANY = re.compile(r"(?:map)?\[(?!\").*[\s,].*\]|\{.*[\s,].*\}", re.DOTALL)
"""An array without quotes, in which a space may be within a name or between two; or an object, which may hold one."""


def claims_of(request: Mapping[str, Any]) -> Mapping[str, Any]:
    """The claims of the token that API Gateway has checked, with arrays as they are in the token.

    An array that is not the one that API Gateway passes on is left out, and so is an object. If the header has no token
    with the same texts (API Gateway is not known to let that through), the claims are as API Gateway passes them,
    without ambiguous arrays: nobody becomes a member of `admins` as a member of `x admins`.
    """
    passed: Mapping[str, Any] = request["requestContext"]["authorizer"]["jwt"]["claims"]
    token = _payload((request.get("headers") or {}).get("authorization") or "")
    texts = {name: value for name, value in token.items() if isinstance(value, str)}
    is_same = token.keys() >= passed.keys() and texts.items() <= passed.items() and "sub" in texts
    if not is_same:
        return {name: text for name, text in passed.items() if not _MANY.fullmatch(str(text))}
    arrays = {name: token[name] for name in passed if isinstance(token[name], list | dict)}
    return {**passed, **{name: array if passed[name] in _forms(array) else [] for name, array in arrays.items()}}


def _forms(array: Any) -> set[str]:
    """The texts that API Gateway may make of an array; none of an object."""
    if isinstance(array, dict):
        return set()
    texts = [str(entry) for entry in array]
    return {f"[{between.join(texts)}]" for between in (" ", ",", ", ")} | {json.dumps(array)}


def _payload(header: str) -> Mapping[str, Any]:
    """The claims of the token in a header; none if the header has another form."""
    match = _TOKEN.fullmatch(header.strip())
    if not match:
        return {}
    try:
        payload = json.loads(base64.urlsafe_b64decode(match[1] + "=" * (-len(match[1]) % 4)))
    except (ValueError, RecursionError):
        return {}
    return payload if isinstance(payload, dict) else {}
