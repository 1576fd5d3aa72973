"""Strict models of JSON documents: classes whose annotations name the schema of each member.

    class Job(StrictModel):
        name: Text                # a member that must be there
        description: Prose        # a member that may be absent

    checked(Job, {"name": "etl"}).name

pydantic-core checks the documents. Its schemas are written here, because pydantic itself, which derives schemas from
types, takes a fifth of the time in which a function starts.
"""

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, TypeVar, get_type_hints

from pydantic_core import SchemaValidator, ValidationError, core_schema

from headwater.openlineage.event import MAX_NAME_LENGTH
from headwater.openlineage.faults import Fault, InvalidRequest, path_of

MAX_FAULTS = 100

Schema = core_schema.CoreSchema

_TEXT = core_schema.str_schema(min_length=1, max_length=MAX_NAME_LENGTH)


def after(schema: Schema, function: Callable[[Any], Any]) -> Schema:
    """The schema of what a function makes of a checked value. The function raises ValueError for a fault."""
    return core_schema.no_info_after_validator_function(function, schema)


def optional(schema: Schema) -> Schema:
    """The schema of a value that may be null or absent: the member is None."""
    return core_schema.with_default_schema(core_schema.nullable_schema(schema), default=None)


Text = Annotated[str, _TEXT]
"""A name or namespace."""
OptionalText = Annotated[str | None, optional(_TEXT)]
Texts = Annotated[list[str], core_schema.list_schema(_TEXT)]
OptionalTexts = Annotated[list[str] | None, optional(core_schema.list_schema(_TEXT))]
Prose = Annotated[str | None, optional(core_schema.str_schema())]
"""A text of any length, or none."""
OptionalObject = Annotated[dict[str, Any] | None, optional(core_schema.dict_schema(core_schema.str_schema()))]


class StrictModel:
    """The base of strict models: no value becomes one of another type. Members that a model lacks are ignored."""

    schema: ClassVar[Schema]

    def __init_subclass__(cls) -> None:
        members = get_type_hints(cls, include_extras=True)
        members.pop("schema")
        fields = {name: core_schema.model_field(*hint.__metadata__) for name, hint in members.items()}
        config = core_schema.CoreConfig(strict=True, extra_fields_behavior="ignore")
        cls.schema = core_schema.model_schema(cls, core_schema.model_fields_schema(fields), config=config)


Checked = TypeVar("Checked", bound=StrictModel)


_VALIDATORS: dict[type[StrictModel], SchemaValidator] = {}


def _validator(model: type[StrictModel]) -> SchemaValidator:
    if model not in _VALIDATORS:
        _VALIDATORS[model] = SchemaValidator(model.schema)
    return _VALIDATORS[model]


def checked(model: type[Checked], members: dict[str, Any]) -> Checked:
    """A document as an instance of a model. Raises InvalidRequest with all faults, each with its path."""
    try:
        instance: Checked = _validator(model).validate_python(members)
    except ValidationError as error:
        raise InvalidRequest(*_named_faults(model, members, error)) from None
    return instance


_MESSAGES = {
    "missing": "missing",
    "dict_type": "expected an object",
    "model_type": "expected an object",
    "list_type": "expected an array",
    "string_type": "expected a string",
    "string_too_short": "empty",
    "string_too_long": f"longer than {MAX_NAME_LENGTH} characters",
}


def _named_faults(model: type[StrictModel], members: dict[str, Any], error: ValidationError) -> list[Fault]:
    """The first hundred faults, and the number of the others: an array of empty objects may have a million faults."""
    count = error.error_count()
    if count > MAX_FAULTS:
        beginning = {name: value[:MAX_FAULTS] if isinstance(value, list) else value for name, value in members.items()}
        try:
            _validator(model).validate_python(beginning)
        except ValidationError as first:
            error = first
        else:
            return [Fault("body", f"{count} faults, all after the first {MAX_FAULTS} entries")]
    faults = _faults(error)[:MAX_FAULTS]
    rest = count - len(faults)
    return [*faults, Fault("body", f"{rest} more faults")] if rest else faults


def _faults(error: ValidationError) -> list[Fault]:
    return [
        Fault(path_of(*detail["loc"]), _MESSAGES.get(detail["type"]) or detail["msg"].removeprefix("Value error, "))
        for detail in error.errors(include_url=False, include_input=False, include_context=False)
    ]
