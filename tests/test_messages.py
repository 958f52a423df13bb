"""The words of a message stand once in the tests: in the one test that reads them, or
in a row of tests/messages.
"""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from fnmatch import fnmatch
from functools import cache

import pytest
from arena import ROOT
from parsed import IN_ONE_PROCESS, nodes_of
from wording import MESSAGES, messages, parts, pattern, sentence

WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")
BETWEEN = re.compile(r"[\"'`)]{0,2}[,;:.!?]? [\"'`(]{0,2}")
pytestmark = [pytest.mark.slow, IN_ONE_PROCESS]

PLACEHOLDER = "\0"
FIELD = re.compile(r"\{[a-z]+\}")  # of a template of an event's line, in a notation.py
CODE = re.compile(
    r"^\s*(import|from|def|class|SELECT|INSERT|UPDATE|DELETE|PRAGMA|CREATE|DROP|ATTACH|WITH|#!|<)"
    r"|\n\s*(import|from|def) "
)
LAYOUT = 4  # line ends: a text of so many lines is a program, or is compared for its layout
# Words of other programs and of the system, which the package recognises; tests hand
# them to it.
FOREIGN = re.compile(
    r"could not find|such file or directory|is a directory|no space left|cannot find file"
    r"|cannot load such file|failed to load source"
    r"|want an index into legal|return value must be|cannot be interpreted as|could not reserve",
    re.IGNORECASE,
)
LEFT = {
    "*/make_*.py": "writes files that are published, whose words are their own",
    "tests/bots/modules/*_rows.py": "as above",
    "tests/extensions/seats/support/fuzz_relay.py": "a program's own report",
    "tests/extensions/serve/test_in_a_browser.py": "the words of live.js, which is not Python",
    "tests/support/levels.py": "why a test is skipped",
    "tests/tools/__main__.py": "what each tool does",
    "tests/support/tools.py": "as above",
}


def _literals(nodes: tuple[ast.AST, ...], keys: bool = True) -> Iterator[ast.Constant]:
    """Yield the texts of a file without docstrings, and without keys of dicts where
    these name rows.
    """
    names = {one.value for one in nodes if isinstance(one, ast.Expr)}
    names |= {
        key for one in nodes if isinstance(one, ast.Dict) for key in one.keys if key and not keys
    }
    for one in nodes:
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and one not in names:
            yield one


def _template(one: ast.AST) -> str:
    """Join the parts of a text, with a mark for each value in it."""
    match one:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(map(_template, values))
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _template(left) + _template(right)
    return PLACEHOLDER


def _runs(text: str) -> set[tuple[str, ...]]:
    """Return each four words that follow one another in a text."""
    found: set[tuple[str, ...]] = set()
    if text.count(" ") < 3:
        return found
    words: list[str] = []
    end = 0
    for word in WORD.finditer(text):
        words = [
            *(words[-3:] if BETWEEN.fullmatch(text[end : word.start()]) else ()),
            word[0].lower().strip("'"),
        ]
        end = word.end()
        if len(words) == 4:
            found.add(tuple(words))
    return found


@cache
def _package() -> list[tuple[ast.AST, ...]]:
    return [nodes_of(path) for path in (ROOT / "khiva_arena").rglob("*.py")]


@cache
def _said() -> Counter[tuple[str, ...]]:
    """Return how many texts of the package say each four words."""
    texts = [one.value for nodes in _package() for one in _literals(nodes)]
    return Counter(run for text in texts if not CODE.search(text) for run in _runs(text))


@cache
def _pinned() -> list[tuple[str, str, frozenset[tuple[str, ...]]]]:
    """Return each text of the tests that repeats words of a message: the file, the
    place with the text, and each four words.
    """
    pinned = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        name = str(path.relative_to(ROOT))
        for one in _literals(nodes_of(path), keys=False):
            text = one.value
            runs = frozenset(_runs(text) & _said().keys())
            if (
                runs
                and text.count("\n") < LAYOUT
                and not CODE.search(text)
                and not FOREIGN.search(text)
            ):
                pinned.append((name, f"{name}:{one.lineno}: {text[:80]!r}", runs))
    return pinned


def _repeated(left: Collection[str]) -> set[str]:
    """Return each place with four words that the rows and the tests have more often
    than the package. ``left``: patterns of files that are not looked at.
    """
    held = Counter(
        run for text in _rows().values() for fixed, _ in parts(text) for run in _runs(fixed)
    )
    places: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, place, runs in _pinned():
        for run in () if any(fnmatch(name, one) for one in left) else runs:
            places[run].append(place)
    return {
        place
        for run, those in places.items()
        if len(those) + held[run] > _said()[run]
        for place in those
    }


def _named() -> set[tuple[str, str]]:
    """Return the file and key of each row that a test names."""
    calls = re.compile(r'\b(?:sentence|pattern)\(\s*"([\w-]+)",\s*"([\w-]+)"')
    return {
        (room, key)
        for path in (ROOT / "tests").rglob("*.py")
        for room, key in calls.findall(path.read_text("utf-8"))
    }


def _rows() -> dict[tuple[str, str], str]:
    rooms = [path.stem for path in MESSAGES.glob("*.toml")]
    return {(room, key): text for room in rooms for key, text in messages(room).items()}


def test_the_words_of_a_message_stand_once() -> None:
    places = sorted(_repeated(LEFT))
    assert not places, (
        "several tests read these: put them into a file of tests/messages and name the "
        'row, as sentence("store", "disk-full")\n' + "\n".join(places)
    )


def test_every_exception_is_needed() -> None:
    needed = [
        left
        for left in LEFT
        if any(fnmatch(place, f"{left}:*") for place in _repeated(LEFT.keys() - {left}))
    ]
    assert needed == list(LEFT), "nothing there is repeated: remove it"


def test_every_row_is_used() -> None:
    unused = [
        f"tests/messages/{room}.toml: {key}" for room, key in sorted(_rows().keys() - _named())
    ]
    assert not unused, "no test names these rows: remove them\n" + "\n".join(unused)


def test_every_row_stands_in_the_package() -> None:
    texts = [
        one for nodes in _package() for one in nodes if isinstance(one, ast.JoinedStr | ast.BinOp)
    ]
    texts += [one for nodes in _package() for one in _literals(nodes)]
    templates = {_template(one) for one in texts}
    whole = "\n\1\n".join(
        [text for one in templates for text in {one, FIELD.sub(PLACEHOLDER, one)}]
    )
    changed = []
    for (room, key), text in sorted(_rows().items()):
        if (
            "".join(fixed + (PLACEHOLDER if name else "") for fixed, name in parts(text))
            not in whole
        ):
            changed.append(f"tests/messages/{room}.toml: {key} = {text!r}")
    assert not changed, (
        "the package does not say this any more: change the row as the message\n"
        + "\n".join(changed)
    )


def test_what_a_row_lacks_is_named() -> None:
    with pytest.raises(KeyError, match=r"tests/messages/store.toml has no row nothing"):
        sentence("store", "nothing")
    with pytest.raises(
        TypeError,
        match=r"tests/messages/store.toml: disk-full takes the placeholders \[\], not \['x'\]",
    ):
        pattern("store", "disk-full", x="1")
