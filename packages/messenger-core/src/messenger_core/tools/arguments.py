"""Arguments of a tool: their JSON schema, and their reading with refusals in our own words."""

import json
from collections.abc import Mapping
from typing import Annotated, TypeVar, cast

import msgspec
from msgspec import Meta
from msgspec.structs import FieldInfo

from messenger_core.errors import FieldError, InvalidRequest
from messenger_core.wire.common import Request

A = TypeVar("A", bound=Request)
Schema = dict[str, object]

RequiredId = Annotated[str, Meta(min_length=1)]
PageOffset = Annotated[int, Meta(ge=0)]

_SHOWN_MAX_CHARS = 80


def input_schema(arguments: type[Request]) -> Schema:
    """The JSON schema of an arguments struct, as MCP wants it: an object at the root, no title."""
    (reference,), definitions = msgspec.json.schema_components(
        [arguments], ref_template="#/$defs/{name}"
    )
    return _object(reference, definitions)


def read_arguments(arguments: type[A], given: Mapping[str, object]) -> A:
    """The arguments as a struct. An optional argument that is `null` counts as left out.

    Raises:
        InvalidRequest: names each argument that is missing, unknown or wrong, with its value.
    """
    fields = {field.encode_name: field for field in msgspec.structs.fields(arguments)}
    present = {
        name: _without_null(value)
        for name, value in given.items()
        if value is not None or name not in fields or fields[name].required
    }
    try:
        return msgspec.convert(present, arguments)
    except msgspec.ValidationError as error:
        faults = _faults(arguments, fields, present)
        if faults:
            said = " ".join(fault.message for fault in faults)
            raise InvalidRequest(said, errors=faults) from error
        # Each value has its type: what is left is text that cannot be stored.
        raise InvalidRequest(f"{str(error).split(' - at ')[0]}.") from error


def _faults(
    arguments: type[Request], fields: Mapping[str, FieldInfo], present: Mapping[str, object]
) -> list[FieldError]:
    faults = [
        FieldError(name, f"There is no argument `{_shown_name(name)}`: {_taken(fields)}.")
        for name in present
        if name not in fields
    ]
    properties = input_schema(arguments)["properties"]
    assert isinstance(properties, dict)
    for name, field in fields.items():
        wanted = _in_words(properties[name])
        if name not in present:
            if field.required:
                faults.append(FieldError(name, f"`{name}` is missing: it must be {wanted}."))
        elif not _fits(present[name], field):
            shown = _shown(present[name])
            faults.append(FieldError(name, f"`{name}` is {shown}: it must be {wanted}."))
    return faults


def _object(reference: Schema, definitions: Mapping[str, Schema]) -> Schema:
    """The schema of a struct, those of the structs inside it in their places."""
    struct = definitions[str(reference["$ref"]).rsplit("/", 1)[1]]
    properties = {
        name: _property(name, schema, definitions)
        for name, schema in cast("dict[str, Schema]", struct["properties"]).items()
    }
    return {
        "type": "object",
        "properties": properties,
        **({"required": struct["required"]} if struct["required"] else {}),
        "additionalProperties": False,
    }


def _property(name: str, schema: Schema, definitions: Mapping[str, Schema]) -> Schema:
    # msgspec leaves out the type of an enumeration, and hosts that build forms want it.
    typed = {"type": "string", **schema} if "enum" in schema else dict(schema)
    if not typed.get("default", True):
        del typed["default"]  # false, 0: what one expects, and bytes in every model's context
    match typed:
        case {"items": {"$ref": _} as reference}:
            typed["items"] = _object(cast("Schema", reference), definitions)
    assert typed.get("description"), f"the argument {name} is not described"
    return typed


def _without_null(value: object) -> object:
    """The value; in the objects of a list, what is `null` counts as left out too."""
    if not isinstance(value, list):
        return value
    return [
        {name: part for name, part in item.items() if part is not None}
        if isinstance(item, dict)
        else item
        for item in value
    ]


def _fits(value: object, field: FieldInfo) -> bool:
    try:
        msgspec.convert(value, field.type)
    except msgspec.ValidationError:
        return False
    return True


def _taken(fields: Mapping[str, FieldInfo]) -> str:
    if not fields:
        return "the tool takes none"
    return "the tool takes " + ", ".join(f"`{name}`" for name in fields)


def _shown_name(name: str) -> str:
    return json.dumps(name[:_SHOWN_MAX_CHARS])[1:-1].replace("`", "'")


def _shown(value: object) -> str:
    """The value as JSON, cut: it may be long, and JSON keeps it on one line."""
    text = json.dumps(value, default=repr)
    if len(text) <= _SHOWN_MAX_CHARS:
        return text
    length = f" ({len(value)} characters)" if isinstance(value, str) else ""
    return f"{text[:_SHOWN_MAX_CHARS]}…{length}"


def _in_words(schema: Schema) -> str:
    """What a schema allows, e.g. `a whole number from 1 to 200`."""
    match schema:
        # A schema holds schemas below `anyOf` and `items`.
        case {"anyOf": [*alternatives]}:
            return " or ".join(_in_words(part) for part in cast("list[Schema]", alternatives))
        case {"enum": [*values]}:
            return "one of " + ", ".join(str(value) for value in values)
        case {"type": "array", "items": dict(items)}:
            return f"a list with {_in_words(items)}{_count(schema)}"
        case {"type": "object", "properties": dict(properties)}:
            required = schema.get("required", [])
            assert isinstance(required, list)
            names = (f"`{name}`{'' if name in required else ' (optional)'}" for name in properties)
            return "{" + ", ".join(names) + "}"
        case {"type": "integer" | "number" as kind}:
            return ("a whole number" if kind == "integer" else "a number") + _range(schema)
        case {"type": "boolean"}:
            return "true or false"
        case _:
            return "a text" + _length(schema)


def _count(schema: Schema) -> str:
    low, high = schema.get("minItems"), schema.get("maxItems")
    if high is None:
        return ""
    return f", at most {high} of them" if not low else f", {low} to {high} of them"


def _range(schema: Schema) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if high is None:
        return "" if low is None else f" of at least {low}"
    return f" from {low} to {high}"


def _length(schema: Schema) -> str:
    low, high = schema.get("minLength"), schema.get("maxLength")
    if high is None:
        return ""
    return f" of at most {high} characters" if not low else f" of {low} to {high} characters"
