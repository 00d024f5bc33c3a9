"""The sources of the console's page: who imports whom, and the texts in each language."""

import json
import re
from functools import cache
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Final

STATIC: Final = Path(__file__).parents[2] / "packages/messenger-server/src/messenger_server/static"

Texts = dict[str, str | dict[str, str]]
"""By id: a text, or its forms by what a number asks for."""

_STATIC_IMPORT: Final = re.compile(
    r'^(?:import|export)\s(?:[^";]*\sfrom\s)?"([^"]+)";', re.MULTILINE
)
_LATER_IMPORT: Final = re.compile(r'(?<!\w)import\("([^"]+)"\)')
_PART: Final = re.compile(r'loadPart\(\[([^\]]*)\],\s*\(\) => import\("([^"]+)"\)\)')
_BLOCK_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_LINE_COMMENT: Final = re.compile(r"^\s*//.*$", re.MULTILINE)
_TOKEN: Final = re.compile(r'\s+|"(?:[^"\\\n]|\\.)*"|[A-Za-z]+|[{}:,;]')


@cache
def sources(ending: str) -> dict[str, str]:
    """The files with this ending by their paths in the folder, without comments."""
    return {
        path.relative_to(STATIC).as_posix(): _without_comments(path.read_text(encoding="utf-8"))
        for path in sorted(STATIC.rglob(f"*{ending}"))
    }


def imports_of(module: str) -> list[str]:
    """The modules that come with this one, as they are written."""
    return _STATIC_IMPORT.findall(sources(".js")[module])


def later_imports_of(module: str) -> list[str]:
    """The modules that this one brings when they are wanted."""
    return _LATER_IMPORT.findall(sources(".js")[module])


def resolved(module: str, imported: str) -> str:
    """The path of what a module imports."""
    return normpath(join(dirname(module), imported))


def closure(*modules: str, later: bool = False) -> set[str]:
    """These modules with all that they import; with what they bring later, if asked for."""
    found: set[str] = set()
    left = list(modules)
    while left:
        module = left.pop()
        if module not in found:
            found.add(module)
            wanted = imports_of(module) + (later_imports_of(module) if later else [])
            left += [resolved(module, each) for each in wanted]
    return found


def parts() -> dict[str, set[str]]:
    """The areas of texts and styles that come with each module that is brought later."""
    found: dict[str, set[str]] = {}
    for module in sources(".js"):
        for each in later_imports_of(module):
            found.setdefault(resolved(module, each), set())
        for areas, part in _PART.findall(sources(".js")[module]):
            found[resolved(module, part)] = set(re.findall(r'"(\w+)"', areas))
    return found


def areas_of(language: str) -> dict[str, Texts]:
    """The texts of a language by area."""
    return {
        Path(name).stem: _catalogue(text, name)
        for name, text in sources(".js").items()
        if name.startswith(f"i18n/{language}/")
    }


def first_areas_of(language: str) -> set[str]:
    """The areas that are there from the start."""
    return {Path(each).stem for each in imports_of(f"i18n/{language}.js")}


def _without_comments(source: str) -> str:
    return _LINE_COMMENT.sub("", _BLOCK_COMMENT.sub("", source))


def _catalogue(source: str, name: str) -> Texts:
    """The texts of a file that holds nothing but `export default {…};`.

    Raises:
        AssertionError: it holds something else, or an id twice.
    """
    literal = re.fullmatch(r"\s*export default (\{.*\});\s*", source, re.DOTALL)
    assert literal, f"{name} is no catalogue"
    tokens = [token for token in _tokens(literal[1], name) if not token.isspace()]
    written = []
    for token, following in zip(tokens, [*tokens[1:], ""], strict=True):
        if token == "," and following == "}":
            continue  # JSON has none there
        written.append(f'"{token}"' if token.isalpha() else token)
    texts: Texts = json.loads("".join(written), object_pairs_hook=_each_once)
    return texts


def _tokens(literal: str, name: str) -> list[str]:
    tokens, at = [], 0
    while at < len(literal):
        token = _TOKEN.match(literal, at)
        assert token, f"{name} holds more than texts: {literal[at : at + 40]!r}"
        tokens.append(token[0])
        at = token.end()
    return tokens


def _each_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    ids = [each for each, _ in pairs]
    assert len(set(ids)) == len(ids), f"twice: {[each for each in ids if ids.count(each) > 1]}"
    return dict(pairs)
