"""The page's files, read without a browser: texts in both languages, layers, size, and what no
file may hold."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import PurePosixPath

import pytest

from messenger_server.web.lean import lean
from support.page_sources import (
    STATIC,
    Texts,
    areas_of,
    closure,
    first_areas_of,
    imports_of,
    later_imports_of,
    parts,
    resolved,
    sources,
)

_LANGUAGES = ("en", "fr")
_FORMS = {"en": {"one", "other"}, "fr": {"one", "many", "other"}}
_LAYERS = ("lib", "model", "store.js", "actions", "views", "main.js")
_FIRST_BYTES = 150_000
_ALL_BYTES = 300_000

_PROGRAM = {name: text for name, text in sources(".js").items() if not name.startswith("i18n/")}
_STRING = re.compile(r'"([^"\n]*)"')
_CALL = re.compile(r'(?<![\w.$])(t|plural)\(\s*"([^"]*)"')
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_NAMES_IN_VIEWS = {"Messenger", "Enter", "Esc", "Escape"}
"""Words with a capital letter that no language changes: the product, and keys as browsers call
them."""


def _all_texts(language: str) -> Texts:
    return {id_: text for area in areas_of(language).values() for id_, text in area.items()}


_ENGLISH = _all_texts("en")


def _forms(text: str | dict[str, str]) -> dict[str, str]:
    return text if isinstance(text, dict) else {"": text}


def _placeholders(text: str | dict[str, str]) -> set[str]:
    return {name for form in _forms(text).values() for name in _PLACEHOLDER.findall(form)}


def _ids_written(module: str) -> set[str]:
    """What a module writes that looks like the id of a text."""
    prefixes = {id_.partition(".")[0] for id_ in _ENGLISH}
    return {
        text
        for text in _STRING.findall(_PROGRAM[module])
        if re.fullmatch(r"\w+\.\w+", text) and text.partition(".")[0] in prefixes
    }


def _calls() -> Iterator[tuple[str, str, str, str]]:
    """Every call for a text by its id: module, function, id, and the other arguments."""
    for module, source in _PROGRAM.items():
        for call in _CALL.finditer(source):
            yield module, call[1], call[2], _rest_of_call(source, call.end())


def _rest_of_call(source: str, at: int) -> str:
    """What stands from here to the bracket that ends the call."""
    depth = 1
    for end in range(at, len(source)):
        depth += (source[end] in "([{") - (source[end] in ")]}")
        if depth == 0:
            return source[at:end].strip(", \n")
    raise AssertionError(f"a call without an end: {source[at : at + 80]!r}")


def _names_given(arguments: str) -> set[str] | None:
    """The names in an object that is written out; None: there is none, or it is a variable."""
    literal = re.search(r"(?:^|, |\n)\{(.*)\}$", arguments, re.DOTALL)
    if not literal:
        return None
    flat = literal[1]
    while flat != (flat := re.sub(r"[(\[{][^()\[\]{}]*[)\]}]", "", flat)):
        pass  # what stands in brackets names nothing of the object's own
    return set(re.findall(r"(?:^|,)\s*(\w+)", flat))


def test_both_languages_have_the_same_texts_in_the_same_files() -> None:
    english, french = areas_of("en"), areas_of("fr")

    assert {area: list(texts) for area, texts in english.items()} == {
        area: list(texts) for area, texts in french.items()
    }
    assert first_areas_of("en") == first_areas_of("fr")


@pytest.mark.parametrize("language", _LANGUAGES)
def test_each_text_lies_in_the_file_of_its_area_and_says_something(language: str) -> None:
    for area, texts in areas_of(language).items():
        first, *more = area.split("_")
        prefix = first + "".join(word.title() for word in more)
        for id_, text in texts.items():
            assert id_.startswith(f"{prefix}."), id_
            assert all(form.strip() == form != "" for form in _forms(text).values()), id_


@pytest.mark.parametrize("language", _LANGUAGES)
def test_texts_that_count_have_the_forms_of_their_language(language: str) -> None:
    for id_, text in _all_texts(language).items():
        if isinstance(text, dict):
            assert set(text) == _FORMS[language], id_


def test_both_languages_name_the_same_values() -> None:
    french = _all_texts("fr")
    for id_, text in _ENGLISH.items():
        assert isinstance(text, dict) == isinstance(french[id_], dict), id_
        assert _placeholders(text) == _placeholders(french[id_]), id_


def test_every_text_that_is_asked_for_exists_and_every_text_is_asked_for() -> None:
    written = {module: _ids_written(module) for module in _PROGRAM}

    unknown = {module: ids - set(_ENGLISH) for module, ids in written.items()}
    assert {module: ids for module, ids in unknown.items() if ids} == {}
    assert set(_ENGLISH) - set().union(*written.values()) == set()


def test_a_text_is_asked_for_with_the_values_that_it_names() -> None:
    checked = 0
    for module, function, id_, arguments in _calls():
        text = _ENGLISH[id_]
        assert isinstance(text, dict) == (function == "plural"), f"{module}: {id_}"
        wanted = _placeholders(text) - ({"count"} if function == "plural" else set())
        given = _names_given(arguments)
        if given is not None or not arguments or function == "plural":
            assert wanted == (given or set()), f"{module}: {id_} is given {arguments}"
            checked += 1
    assert checked > 200


def test_the_texts_of_a_module_are_there_when_it_is() -> None:
    first = first_areas_of("en")
    for part, areas in {"main.js": set[str](), **parts()}.items():
        there = {id_ for area in first | areas for id_ in areas_of("en")[area]}
        for module in closure(part) & set(_PROGRAM):
            assert _ids_written(module) <= there, f"{module}, which comes with {part}"


def test_no_view_holds_words_of_its_own() -> None:
    for module, source in _PROGRAM.items():
        if module.startswith("views/"):
            words = {
                text for text in _STRING.findall(source) if re.match(r"[A-ZÀ-Ý][a-zà-ÿ]", text)
            }
            keys = {
                text for text in words if re.fullmatch(r"(Arrow|Page)(Up|Down|Left|Right)", text)
            }
            assert words - keys <= _NAMES_IN_VIEWS, module
    for name, source in sources(".css").items():
        assert set(re.findall(r"(?<![\w-])content:\s*([^;]+);", source)) <= {'""', "none", '"✓"'}, (
            name
        )


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.attributes: set[str] = set()
        self.stack: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.stack.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append(f"{self.stack[-1]}: {data.strip()}")


def test_the_page_itself_holds_no_text_and_no_script() -> None:
    page = _Page()
    page.feed((STATIC / "index.html").read_text(encoding="utf-8").replace("{modules}", ""))

    assert page.texts == ["title: Messenger"]
    known = {"charset", "content", "href", "lang", "name", "rel", "src", "type"}
    assert page.attributes <= known


def test_imports_are_relative_and_lead_to_a_file() -> None:
    for module in sources(".js"):
        for each in imports_of(module) + later_imports_of(module):
            assert re.fullmatch(r"\.\.?/[\w./]+\.js", each), f"{module} imports {each}"
            assert resolved(module, each) in sources(".js"), f"{module} imports {each}"


def test_no_module_imports_itself_in_the_end() -> None:
    for module in sources(".js"):
        above = {resolved(module, each) for each in imports_of(module)}
        assert module not in closure(*above), f"{module} is in a circle"


def test_a_layer_imports_no_higher_one() -> None:
    for module in _PROGRAM:
        own = _layer(module)
        for each in imports_of(module) + later_imports_of(module):
            other = _layer(resolved(module, each))
            assert other <= own, f"{module} imports {each}"
            assert other < own or own != len(_LAYERS) - 1, f"{module} imports {each}"
    for module in set(sources(".js")) - set(_PROGRAM):
        # A catalogue imports its areas alone, and an area nothing.
        for each in imports_of(module):
            assert resolved(module, each).startswith(module.removesuffix(".js") + "/"), module


def _layer(module: str) -> int:
    return _LAYERS.index(PurePosixPath(module).parts[0])


def test_every_file_is_used() -> None:
    index = (STATIC / "index.html").read_text(encoding="utf-8")
    named = set(re.findall(r'"assets/\{version\}/([^"]+)"', index))
    styles = {f"css/{area}.css" for areas in parts().values() for area in areas}
    images = {
        resolved(name, each)
        for name, source in sources(".css").items()
        for each in re.findall(r'url\("([^"]+)"\)', source)
    }
    catalogues = {f"i18n/{language}.js" for language in _LANGUAGES}
    areas = {f"i18n/{each}/{area}.js" for each in _LANGUAGES for area in _areas_brought()}

    used = named | styles | images | closure("main.js", *catalogues, later=True) | areas
    there = {path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*.*")}
    assert there - {"index.html"} == used


def _areas_brought() -> set[str]:
    return first_areas_of("en").union(*parts().values())


def test_what_shows_the_mail_keeps_its_size_and_so_do_all_parts_together() -> None:
    index = (STATIC / "index.html").read_text(encoding="utf-8")
    first = closure("main.js", "i18n/en.js") | set(re.findall(r"css/\w+\.css", index))

    assert 10_000 < _bytes_of(first) < _FIRST_BYTES
    everything = set(sources(".js")) | set(sources(".css"))
    french = {name for name in everything if name.startswith("i18n/fr")}
    assert _bytes_of(everything - french) < _ALL_BYTES


def _bytes_of(names: set[str]) -> int:
    """Of these files as browsers get them."""
    read = ((STATIC / name).read_text(encoding="utf-8") for name in names)
    return sum(len(lean(text).encode()) for text in read)


@pytest.mark.parametrize(
    "forbidden",
    [
        r"\b(inner|outer)HTML\b",
        r"\binsertAdjacentHTML\b",
        r"\bdocument\.write",
        r"\beval\(",
        r"\bnew Function\b",
        r"\bDOMParser\b",
        r"\bcreateContextualFragment\b",
        r"\bsrcdoc\b",
        r"""["']style["']""",
        r"\bstyle=",
        r"\bon\w+=\"",
        r"javascript:",
        r"@import",
        r"""["'(]data:""",
        r"https?://(?!www\.w3\.org/)",
        r"(?<!:)//[\w-]+\.\w",
        r"\bsetTimeout\(\s*[\"'`]",
    ],
)
def test_no_file_holds(forbidden: str) -> None:
    html = {"index.html": (STATIC / "index.html").read_text(encoding="utf-8")}
    svg = sources(".svg")
    for name, source in (sources(".js") | sources(".css") | svg | html).items():
        found = re.search(forbidden, source)
        assert found is None, f"{name}: {source[found.start() - 40 : found.end() + 40]}"
