"""The web page: its files, for anyone. The page gets its data from the API, with the key of its user."""

from typing import Any

from headwater.web_files.files import respond


def handler(request: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answers one request for a file."""
    return respond(request["rawPath"], request.get("headers") or {}).to_gateway()
