"""From bytes to wire structs, and from a decoder's complaint to a sentence that names the field."""

import json
import re
from collections.abc import Callable
from functools import cache
from typing import Final, TypeVar
from urllib.parse import parse_qsl

import msgspec

from messenger_core.echo import echoed
from messenger_core.errors import FieldError, InvalidJson, InvalidRequest
from messenger_core.wire.common import Request

R = TypeVar("R", bound=Request)


def decode_body(body: bytes | bytearray, shape: type[R]) -> R:
    """The struct of a JSON body.

    Raises:
        InvalidJson: the body is no JSON document.
        InvalidRequest: it is one, of another shape; names the field.
    """
    try:
        return msgspec.json.decode(body, type=shape)
    except msgspec.ValidationError as error:
        _refuse_other_than_json(body)
        raise _refusal(str(error), shape, "field", _numbers(body)) from None
    except msgspec.DecodeError as error:
        raise _not_json(body, str(error)) from None


def decode_query(query_string: bytes, shape: type[R]) -> R:
    """The struct of a query string.

    Raises:
        InvalidRequest: a parameter is unknown, comes twice or has a value that is not allowed.
    """
    if not query_string and not _requires(shape):
        return shape()
    given = _parameters(query_string)
    try:
        query = msgspec.convert(given, shape, strict=False)
    except msgspec.ValidationError as error:
        raise _refusal(str(error), shape, "parameter", given) from None
    for field, name in zip(shape.__struct_fields__, shape.__struct_encode_fields__, strict=True):
        # The lax conversion reads the word null as an absent value.
        if name in given and getattr(query, field) is None:
            raise invalid(name, "must have a value, not 'null'")
    return query


@cache
def _requires(shape: type[Request]) -> bool:
    """Whether a query cannot be empty."""
    return any(field.required for field in msgspec.structs.fields(shape))


def invalid(field: str, message: str) -> InvalidRequest:
    """The refusal of one field: `message` goes on where `field` stops (`must be …`)."""
    shown = echoed(field)
    return InvalidRequest(f"`{shown}` {message}.", errors=[FieldError(shown, message)])


def _parameters(query_string: bytes) -> dict[str, str]:
    try:
        pairs = parse_qsl(query_string.decode("ascii"), keep_blank_values=True, errors="strict")
    except UnicodeDecodeError:
        raise InvalidRequest("The query string is not UTF-8: encode it as such.") from None
    given: dict[str, str] = {}
    for name, value in pairs:
        if not name:
            raise InvalidRequest(
                "The query has a parameter without a name: write `name=value`.",
                errors=[FieldError("", "must have a name")],
            )
        if name in given:
            raise invalid(name, "is given more than once: give it once")
        given[name] = value
    return given


# What the decoder says, and what we say instead.

_PLACE: Final = re.compile(r"(?P<said>.*?)(?: - at `\$\.?(?P<place>.*)`)?", re.DOTALL)

_SHOWS_VALUE: Final = {"parameter": "must be ", "field": "must be at "}
"""How a message begins that ends in the value: of a body's fields only numbers are shown."""
_KINDS: Final = {
    "int": "an integer",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "null": "null",
    "array": "a list",
    "object": "an object",
}


def _refusal(
    complaint: str, shape: type[Request], noun: str, given: dict[str, str]
) -> InvalidRequest:
    """The refusal for a complaint like ``Expected `int`, got `str` - at `$.limit` ``."""
    parts = _PLACE.fullmatch(complaint)
    assert parts is not None, "the pattern takes any text"
    said, place = parts["said"], parts["place"] or ""
    for pattern, sentence in _SENTENCES:
        if found := pattern.fullmatch(said):
            field, message = sentence(found, place, shape, noun)
            break
    else:
        field, message = place, f"is not valid: {echoed(said)}"
    if field in given and message.startswith(_SHOWS_VALUE[noun]):
        message += f", not {_shown(given[field]) if noun == 'parameter' else echoed(given[field])}"
    if not field:
        return InvalidRequest(f"The body {message}.", errors=[FieldError("body", message)])
    return invalid(field, message)


_Sentence = Callable[[re.Match[str], str, type[Request], str], tuple[str, str]]


def _unknown(found: re.Match[str], place: str, shape: type[Request], noun: str) -> tuple[str, str]:
    known = ", ".join(shape.__struct_encode_fields__) or "none"
    hint = "" if place else f" (it has {known})"
    if not found[1]:
        return place, f"has a {noun} without a name{hint}"
    return _inside(place, found[1]), f"is not a {noun} of this request{hint}"


def _missing(
    found: re.Match[str], place: str, _shape: type[Request], _noun: str
) -> tuple[str, str]:
    return _inside(place, found[1]), "is required"


def _length(found: re.Match[str], place: str, _shape: type[Request], _noun: str) -> tuple[str, str]:
    unit = "character" if found[1] == "str" else "entry"
    if found[3] != "1":
        unit = "characters" if found[1] == "str" else "entries"
    bound = "at least" if found[2] == ">=" else "at most"
    return place, f"must have {bound} {found[3]} {unit}"


def _range(found: re.Match[str], place: str, _shape: type[Request], _noun: str) -> tuple[str, str]:
    bound = "at least" if found[2] == ">=" else "at most"
    return place, f"must be {bound} {float(found[3]):.0f}"


def _too_long(
    _found: re.Match[str], place: str, _shape: type[Request], _noun: str
) -> tuple[str, str]:
    return place, "is larger than any number that is taken"


def _kind(found: re.Match[str], place: str, _shape: type[Request], noun: str) -> tuple[str, str]:
    wanted = " or ".join(_KINDS.get(kind, kind) for kind in found[1].split(" | "))
    got = "" if noun == "parameter" else f", not {_KINDS.get(found[2], found[2])}"
    return place, f"must be {wanted}{got}"


def _choice(_found: re.Match[str], place: str, shape: type[Request], _noun: str) -> tuple[str, str]:
    choices = _choices(shape, place)
    return place, f"must be {'one of ' if len(choices) > 1 else ''}{', '.join(choices)}"


def _own(found: re.Match[str], place: str, _shape: type[Request], _noun: str) -> tuple[str, str]:
    return _inside(place, found[1]), found[2]


_SENTENCES: Final[tuple[tuple[re.Pattern[str], _Sentence], ...]] = (
    (re.compile(r"Object contains unknown field `(.*)`", re.DOTALL), _unknown),
    (re.compile(r"Object missing required field `(.*)`"), _missing),
    (re.compile(r"Expected `(\w+)` of length (>=|<=) (\d+)"), _length),
    (re.compile(r"Expected `(\w+)` (>=|<=) ([\d.]+)"), _range),
    (re.compile(r"Integer value out of range|Number out of range"), _too_long),
    (re.compile(r"Expected `(.*)`, got `(.*)`"), _kind),
    (re.compile(r"Invalid enum value .*", re.DOTALL), _choice),
    (re.compile(r"`(.*?)` (.*)", re.DOTALL), _own),
)


def _inside(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def _shown(value: str) -> str:
    return repr(echoed(value))


def _choices(shape: type[Request], field: str) -> list[str]:
    """The values that a field of a closed set may have, as its schema says."""
    schema = msgspec.json.schema_components([shape])[1][shape.__name__]["properties"][field]
    kinds = schema.get("anyOf", [schema])  # one of them is null where the field may be absent
    return [str(value) for kind in kinds for value in kind.get("enum", ())]


# JSON that is none.

_NUMBER: Final = re.compile(rb"-?[0-9]")
_WRONG_AT: Final = re.compile(r"\(byte (\d+)\)")
_HALF_PAIR: Final = re.compile(rb"\\u[dD][89a-fA-F]")


def _refuse_other_than_json(body: bytes | bytearray) -> None:
    """Refuses what is no JSON behind the fault of shape that the decoder met first."""
    try:
        msgspec.json.decode(body, type=msgspec.Raw)
    except RecursionError:
        raise InvalidJson("The body is nested too deeply.") from None
    except msgspec.DecodeError as error:
        raise _not_json(body, str(error)) from None


def _not_json(body: bytes | bytearray, complaint: str) -> InvalidRequest:
    if not body:
        return InvalidJson("The body is empty: send a JSON object.")
    if _HALF_PAIR.search(body) and (field := _lone_surrogate(body)) is not None:
        message = "holds half of a surrogate pair: remove it"
        return invalid(field, message) if field else InvalidRequest(f"The body {message}.")
    place = _WRONG_AT.search(complaint)
    where = f"it goes wrong at byte {int(place[1]) + 1}" if place else "it ends too early"
    if "UTF-8" in complaint:
        where = "it is not UTF-8"
    return InvalidJson(f"The body is not valid JSON: {where}.")


def _numbers(body: bytes | bytearray) -> dict[str, str]:
    """The numbers in the fields of a JSON object, as they were written."""
    try:
        fields = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    except msgspec.DecodeError:
        return {}
    return {
        name: bytes(value).decode() for name, value in fields.items() if _NUMBER.match(bytes(value))
    }


def _lone_surrogate(body: bytes | bytearray) -> str | None:
    """The field with half of a surrogate pair; empty: somewhere deeper; None: nothing but that.

    The standard library reads such text, which is what tells this fault from others.
    """
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if isinstance(document, dict):
        for name, value in document.items():
            if isinstance(value, str) and not _is_unicode(value):
                return name if _is_unicode(name) else ""
    return ""


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
