"""A page of results: one HTML file that opens from disk and fetches nothing.

A page that is opened from disk can neither import a module nor fetch data. So the
modules of ``display/page/browser`` and the drawings of the games are joined into one
script, and the data stands in the page as JSON and as compressed blocks. A policy
allows that one script and style by their hashes and nothing else. Words of bots and
strangers are data: they are in no script and no markup.
"""

import base64
import html
import json
import re
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from khiva_arena.common.address import ADDRESS
from khiva_arena.common.text import isolated
from khiva_arena.games import registry

if TYPE_CHECKING:
    from khiva_arena.display.page.data import PageData, PageMatch  # numpy comes with it

_IMPORT = re.compile(
    r'^import \{([^}]*)\} from "\.{1,2}/(?:[a-z_./]*/)?([a-z0-9_]+)\.js";\n', re.MULTILINE
)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|const|class) (\w+))", re.MULTILINE)
_COMMENT = re.compile(r"/\*(?:.|\n)*?\*/ ?")  # of a style
_INDENT = re.compile(
    r"^[ \n]+|(?<=[{(,;])\n\s*", re.MULTILINE
)  # and ends of lines after which a script goes on
# of a script: a comment, a text, a regular expression, or what begins or ends a
# template or a block
_TOKEN = re.compile(
    r"""/\*(?:.|\n)*?\*/|//.*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'"""
    r"""|(?<=[(=:&|])[ ]?/(?![/*])(?:[^/\\\n[]|\\.|\[(?:[^]\\\n]|\\.)*\])+/[a-z]*|[`{}]"""
)
_TEMPLATE = re.compile(
    r"(?:[^`\\$]|\\.|\$(?!\{))*(?:`|\$\{)"
)  # the rest of a template, up to its end or its next value
_LITERAL = "\0"  # stands for a literal while the space around operators is taken out
_TIGHT = re.compile(r" *([()\[\]{},;:?=<>*/&|!]) *|(?<![+-]) ?([+-]) ?(?![+-])")
_AROUND = re.compile(r"\s*([{};])\s*|(?<=:) ")  # of a style: there no space says anything
_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')
_SYMBOLS = (
    'from "./symbols.js"'  # what a drawing says of the file beside it; each game may have one
)
_RESULTS, _SEAT = "main", "seat"
"""The module that a page begins with: of a page of results, and of a person's seat."""
_LONGEST = 2_000  # characters of a text; nobody reads a longer one in a table
_HEAD = (
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="generator" '
    'content="Khiva Arena '
)
BEGINNING = _HEAD.encode()
"""The beginning of every page: a file that begins with it may be replaced by another
page.
"""
_PAGE = (
    _HEAD
    + """{engine}">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>{receipt}{manual}
<style>{style}</style>
</head>
<body>
<noscript>This page draws its tables and matches with a script of its own, which this browser does \
not run.</noscript>
{data}
<script>{script}</script>
</body>
</html>
"""
)


class MatchList:
    """The matches of a page, each kept as the text that the page will hold: there may
    be a million.
    """

    def __init__(self, matches: Iterable["PageMatch"] = ()) -> None:
        self._text = bytearray()
        self.add(matches)

    def __bool__(self) -> bool:
        return bool(self._text)

    def add(self, matches: Iterable["PageMatch"]) -> None:
        """Add matches, in the order in which the page lists them."""
        for match in matches:
            self._text += b"," if self._text else b""
            self._text += as_json(_as_shown(msgspec.to_builtins(match)))

    def after(self, fields: bytes) -> bytes:
        """Return a JSON object with these matches as its last field,
        deflated. ``fields``: the object without the matches.
        """
        return zlib.compress(b"".join([fields[:-1], b',"matches":[', self._text, b"]}"]), 9)


def page(data: "PageData", matches: MatchList, replays: Sequence[bytes]) -> str:
    """Return the whole file. ``replays``: blocks of ``records/replay/frames.py``,
    compressed, which ``matches`` name by number.
    """
    script, style = page_script(data.scenery), page_style(data.scenery)
    plain = _as_shown(msgspec.to_builtins(data))
    return _PAGE.format(
        policy=policy(script, style),
        engine=html.escape(data.engine),
        title=html.escape(plain["title"]),
        receipt=f'\n<meta name="receipt" content="{html.escape(data.receipt)}">'
        if data.receipt
        else "",  # data is compressed
        manual=_link_to_the_manual(),
        style=style,
        script=script,
        data="\n".join(
            [
                _embedded("data", matches.after(as_json(plain))),
                *map(_block, range(len(replays)), replays),
            ]
        ),
    )


def _link_to_the_manual() -> str:
    """Return the link from which the script makes the last words of a page; "" while
    the project has no address.
    """
    if not ADDRESS.site:
        return ""  # a path of this machine would help no reader
    from khiva_arena.common.manual import where  # not above: it reads a table

    return f'\n<link rel="help" href="{html.escape(where("publish"))}">'


class SeatPage(NamedTuple):
    """The page of a person's seat, which is served.

    text: the page.
    policy: its policy.
    """

    text: str
    policy: str


def seat_page(game: str, engine: str) -> SeatPage:
    """Return the page of a person's seat. Everything that the page shows it hears from
    its own server.
    """
    script, style = page_script((game,), _SEAT), page_style((game,))
    policy_text = policy(script, style, connects=True)
    title = "Khiva Arena: your seat"
    text = _PAGE.format(
        policy=policy_text,
        engine=html.escape(engine),
        title=title,
        style=style,
        script=script,
        data="",
        receipt="",
        manual="",
    )
    return SeatPage(text, policy_text)


def policy(script: str, style: str, connects: bool = False) -> str:
    """Return the policy of a page: it may run its own script and wear its own style,
    and nothing else.

    connects: whether the page, which is served, may also connect to its own server.
    """
    own = (
        f"script-src '{hash_of(script)}'; style-src '{hash_of(style)}'; base-uri 'none'; "
        "form-action 'none'"
    )
    return f"default-src 'none'; {own}" + ("; connect-src 'self'" if connects else "")


def is_ours(page: str) -> bool:
    """Tell whether a page of results can run no script but that of this version: its
    policy, which comes first in it, says so.
    """
    match = _POLICY.search(page)
    return page.startswith(_HEAD) and match is not None and match[1] in _policies()


@cache
def _policies() -> frozenset[str]:
    """Return the policies of all pages of results, which differ by the games that they
    draw.
    """
    names = [name for name in registry.NAMES if has_drawing(name)]
    games = [part for count in range(len(names) + 1) for part in combinations(names, count)]
    return frozenset(policy(page_script(part), page_style(part)) for part in games)


def as_json(value: Any) -> bytes:
    """Return a value as a page has it before it is compressed."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def has_drawing(game: str) -> bool:
    """Tell whether a game brings a drawing of its own; without one its matches are
    shown as text.
    """
    return _of_game(game, "drawing.js").is_file()


def _as_shown(value: Any) -> Any:
    """Return a value with every text in it as a page may show it: no mark in it turns
    or hides its neighbours.
    """
    if isinstance(value, str):
        return isolated(value, _LONGEST, keep="\t\n")
    if isinstance(value, dict):
        return {_as_shown(key): _as_shown(inner) for key, inner in value.items()}
    return [*map(_as_shown, value)] if isinstance(value, list | tuple) else value


def _block(number: int, data: bytes) -> str:
    return _embedded(f"replay-{number}", data)


def _embedded(name: str, data: bytes) -> str:
    return (
        f'<script type="application/base64" id="{name}">{base64.b64encode(data).decode()}</script>'
    )


def hash_of(text: str) -> str:
    """Return the hash of a script or style as a policy names it."""
    return "sha256-" + base64.b64encode(sha256(text.encode()).digest()).decode()


def page_style(games: Collection[str] = (), *more: str) -> str:
    """Return the style of every page, that of the drawings of these games, and those
    named styles that only one page has.
    """
    styles = [_folder() / f"{name}.css" for name in ("page", *more)]
    styles += [
        style
        for name in registry.NAMES
        if name in games and (style := _of_game(name, "drawing.css")).is_file()
    ]
    return in_palette(*styles)


def in_palette(*styles: Traversable) -> str:
    """Return the text of styles after the colours and the type that all pages have."""
    text = "".join(style.read_text() for style in (_folder() / "palette.css", *styles))
    return _AROUND.sub(r"\1", _INDENT.sub("", _COMMENT.sub("", text)))


def _literals(source: str) -> tuple[str, list[str]]:
    """Return a script without its comments and with a mark for each literal, and the
    literals.

    A template has one literal for each part of it between its values.
    """
    code, literals, at = "", [], 0
    are_values: list[
        bool
    ] = []  # of each open brace, whether it stands around a value of a template
    while token := _TOKEN.search(source, at):
        code, word, at = code + source[at : token.start()], token[0], token.end()
        if word == "`" or (word == "}" and are_values.pop()):
            rest = _TEMPLATE.match(source, at)
            assert rest, "a template has an end"
            word, at = word + rest[0], rest.end()
            are_values += [True] if word.endswith("${") else []
        elif word in "{}":
            are_values += [False] if word == "{" else []
            code += word
            continue
        if not word.startswith(("//", "/*")):
            code += _LITERAL
            literals.append(word)
    return code + source[at:], literals


def _lean(source: str) -> str:
    """Return a script as pages carry it: without the comments that only its readers
    need, and without space that says nothing.
    """
    code, literals = _literals(source)
    rest = iter(literals)
    return re.sub(_LITERAL, lambda _: next(rest), _TIGHT.sub(_operator, _INDENT.sub("", code)))


def page_script(games: Collection[str], first: str = _RESULTS) -> str:
    """Return the modules that ``first`` needs, and the drawings of these games with
    their symbols, in one script.

    Each module is in a function of its own that is called once, after the modules that
    it imports.
    """
    sources = {
        path.name.removesuffix(".js"): path.read_text()
        for path in _folder().iterdir()
        if path.name.endswith(".js")
    }
    drawings = [name for name in registry.NAMES if name in games and has_drawing(name)]
    for name in drawings:
        sources[f"drawing_{name}"] = (
            _of_game(name, "drawing.js")
            .read_text()
            .replace(_SYMBOLS, f'from "./symbols_{name}.js"')
        )
        if (symbols := _of_game(name, "symbols.js")).is_file():
            sources[f"symbols_{name}"] = symbols.read_text()
    text = script_of(sources, *(f"drawing_{name}" for name in drawings), first)
    entries = ", ".join(f"{name}: _drawing_{name}.drawing" for name in drawings)
    return f"{text}\n_{first}.start({{ {entries} }});\n"


def script_of(sources: Mapping[str, str], *firsts: str) -> str:
    """Return modules in one script, by name: those named in ``firsts``, and before each
    the modules that it imports.
    """
    order: list[str] = []
    for name in firsts:
        _after_its_imports(name, sources, order)
    return "\n".join(['"use strict";', *(_wrap(name, sources[name]) for name in order)])


def _after_its_imports(name: str, sources: Mapping[str, str], order: list[str]) -> None:
    if name not in order:
        for _, other in _IMPORT.findall(sources[name]):
            _after_its_imports(other, sources, order)
        order.append(name)


@cache
def _wrap(name: str, source: str) -> str:
    """Return a module as a constant that holds its exports."""
    names = _EXPORT.findall(source)
    body = _EXPORT.sub(
        "", _IMPORT.sub(lambda match: f"const {{{match[1]}}} = _{match[2]};\n", source)
    )
    return f"const _{name} = (() => {{\n{_lean(body)}return {{ {', '.join(names)} }};\n}})();"


def _operator(match: re.Match[str]) -> str:
    """Return an operator without the space around it."""
    return match[1] or match[2]


def _folder() -> Traversable:
    return files(__package__) / "browser"


def _of_game(game: str, file: str) -> Traversable:
    return files("khiva_arena.games") / game / file
