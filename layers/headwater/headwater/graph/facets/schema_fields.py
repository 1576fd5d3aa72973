"""The fields of a schema facet, whatever a producer put there."""

from typing import Any

from headwater.openlineage.exact_json import JsonObject


def fields_of(holder: Any) -> list[JsonObject]:
    """The named fields of a schema, or the nested fields of a field."""
    fields = holder.get("fields") if isinstance(holder, dict) else None
    named = fields if isinstance(fields, list) else []
    return [field for field in named if isinstance(field, dict) and isinstance(field.get("name"), str)]
