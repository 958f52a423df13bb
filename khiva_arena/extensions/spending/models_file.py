"""A file of language models, such as models.toml: a table [[model]] each, read
strictly, as a stranger may have written it.

A row names the variable that holds a key, and never the key. No message repeats a value
that may be a key.
"""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from ipaddress import ip_address
from math import isfinite
from pathlib import Path
from string import Template
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.common import shipped
from khiva_arena.entrants import toml_file
from khiva_arena.errors import ConfigError
from khiva_arena.words import meant

BOT = "shipped:python/llm"
MOST_MODELS = 64
MOST_PROMPT = 6_000
"""Bytes of a prompt of one's own, and 2 for each of its lines: so the notes of a match,
which indent them, keep it whole.
"""
MOST_RETRIES = 5
MOST_NUMBER = 1e9
SHORTEST_KEY = 6
MOST_FILE = 100_000
PART = re.compile(r"^=== (question|again) ===[ \t]*(?:\n|\Z)", re.MULTILINE)
"""The line before a part of a prompt, as the bot reads it."""
WORDS = {
    "system": {"game", "rules", "page"},
    "question": {"seat", "seats", "view", "events", "kind", "choices", "most"},
    "again": {"problem", "kind", "most"},
}
"""By part of a prompt, the words that the bot fills in there."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{0,63}")
_PROMPT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}(\.md)?")
_KEY_LIKE = re.compile(r"\b(?:(?:sk|gsk|xai)[-_]|hf_|r8_|AIza)[A-Za-z0-9_-]{16,}")
_HOST = re.compile(r"[A-Za-z0-9.:_\[\]-]{1,260}")
"""A host with its port. It stands before words of the arena in the line to which the
user agrees.
"""


class ModelRow(NamedTuple):
    """A language model of a file.

    name: of its bot.
    url, model: of the API, and the model's name there.
    key: the name of the variable that holds the key; "" for none.
    prompt: its name, without .md.
    own_prompt: the text of a prompt that does not come with the arena; "" for one that
        does.
    settings: more words of the run line, as ``--retries=1``.
    """

    name: str
    url: str
    model: str
    key: str
    prompt: str
    own_prompt: str
    settings: tuple[str, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """The settings of the bot, as words of its run line."""
        key = (f"--key-in={self.key}",) if self.key else ()
        return (
            f"--url={self.url}",
            f"--model={self.model}",
            *key,
            f"--prompt={self.prompt}",
            *self.settings,
        )


def read(path: Path) -> list[ModelRow]:
    """Return the models of a file. Raises ConfigError with every mistake in every
    row.
    """
    file = toml_file.read(path)
    unknown = sorted(set(file.values) - {"model"})
    problems = [
        f"{path}: unknown key {key!r}{meant(key, ['model'])}; each model is a table [[model]]"
        for key in unknown
    ]
    tables = file.values.get("model", [])
    if (
        not isinstance(tables, list)
        or not all(isinstance(table, dict) for table in tables)
        or not 1 <= len(tables) <= MOST_MODELS
    ):
        raise ConfigError([*problems, f"{path}: 1 to {MOST_MODELS} tables [[model]] are expected"])
    rows, names = list[ModelRow](), set[str]()
    for number, table in enumerate(tables, 1):
        name = table.get("name")
        shown = f" ({name})" if isinstance(name, str) and _NAME.fullmatch(name) else ""
        wrong = _shape(table) or _mistakes(table)
        if not wrong:
            try:
                rows.append(_row(table, path.parent))
            except ConfigError as error:
                wrong += error.problems
            if name in names:
                wrong.append("another model has this name")
            names.add(str(name))
        problems += [f"{path}: model {number}{shown}: {what}" for what in wrong]
    problems += _leaks(path, file.text, rows)
    if problems:
        raise ConfigError(problems)
    return rows


def secrets(rows: Sequence[ModelRow]) -> list[str]:
    """Return a line for each model whose variable with the key is not set."""
    return [
        f"model {row.name}: its key names a variable that is not set; export it, or leave key out. "
        "If this is the key itself, take it out of the file"
        for row in rows
        if row.key and not _value(row.key)
    ]


def _value(key: str) -> str:
    """Return the value of a variable, as the bot sends it."""
    return os.environ.get(key, "").strip()


# --- one row ---


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and isfinite(value) and 0 <= value < MOST_NUMBER  # type: ignore[arg-type, operator]


def _is_text(most: int) -> Callable[[object], bool]:
    return lambda value: (
        isinstance(value, str)
        and value.isprintable()
        and 1 <= len(value) <= most
        and value == value.strip()
    )


def _is_word(most: int) -> Callable[[object], bool]:
    return lambda value: _is_text(most)(value) and " " not in str(value)


def _fits(pattern: re.Pattern[str]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, str) and bool(pattern.fullmatch(value))


def _is_url(value: object) -> bool:
    if (
        not isinstance(value, str)
        or not (value.isascii() and value.isprintable())
        or set("@?# ") & set(value)
    ):
        return False
    try:
        url = urlsplit(value)
        return (
            url.scheme in ("http", "https")
            and bool(url.hostname and _HOST.fullmatch(url.netloc))
            and url.port != 0
        )
    except ValueError:
        return False


_A_NUMBER = f"a number from 0 to {MOST_NUMBER:,.0f} is expected"
KEYS: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "name": (_fits(_NAME), "1 to 64 letters, digits, dots, - and _ are expected, as small"),
    "url": (
        _is_url,
        (
            "https:// and a host is expected, as https://api.example.com/v1, without a user, a "
            "key, ? or #"
        ),
    ),
    "model": (
        _is_word(200),
        "the name of a model of the API is expected, without spaces, as small-2026-05-01",
    ),
    "key": (
        _fits(_VARIABLE),
        "the name of the variable that holds the key is expected, in capital letters, as "
        "KHIVA_LLM_KEY; take a key itself out of the file",
    ),
    "prompt": (
        _fits(_PROMPT),
        "a prompt of the arena is expected, as legal-1, or a file beside this one, as mine.md",
    ),
    "legal": (lambda value: type(value) is bool, "true or false is expected"),
    "retries": (
        lambda value: type(value) is int and 0 <= value <= MOST_RETRIES,
        f"a whole number from 0 to {MOST_RETRIES} is expected",
    ),
    "temperature": (
        lambda value: value == "none" or _is_number(value),
        f'{_A_NUMBER}, or "none", which leaves it to the API',
    ),
    "price_in": (_is_number, _A_NUMBER),
    "price_out": (_is_number, _A_NUMBER),
    "currency": (_is_text(16), "1 to 16 characters are expected, as EUR"),
    "notes": (lambda value: value in ("all", "short"), '"all" or "short" is expected'),
}
"""The keys of a row: whether a value fits, and what is expected."""
_NEEDED = ("name", "url", "model")


def _shape(table: Mapping[str, Any]) -> list[str]:
    known = ", ".join(KEYS)
    problems = [
        f"unknown key {key[:64]!r}{meant(key, KEYS)}; known are {known}"
        for key in sorted(set(table) - set(KEYS))
    ]
    problems += [f"{key} is missing: {KEYS[key][1]}" for key in _NEEDED if key not in table]
    return problems + [
        f"{key}: {what}"
        for key, (fits, what) in KEYS.items()
        if key in table and not fits(table[key])
    ]


def _mistakes(table: Mapping[str, Any]) -> list[str]:
    problems = []
    if ("price_in" in table) != ("price_out" in table):
        problems.append("price_in and price_out go together")
    if (
        "key" in table
        and table["url"].startswith("http:")
        and not is_loopback(urlsplit(table["url"]).hostname or "")
    ):
        problems.append("url: without encryption, others could read the key; write https://")
    return problems


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine, so that nobody else reads the bytes that are
    sent to it.
    """
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _row(table: Mapping[str, Any], folder: Path) -> ModelRow:
    """Return the row of a table that has no mistake but those of its prompt. Raises
    ConfigError.
    """
    legal = table.get("legal", True)
    prompt, own = _prompt(table.get("prompt", "legal-1" if legal else "free-1"), folder, legal)
    more = {
        "legal": "yes" if legal else "no",
        "retries": table.get("retries", 1),
        "temperature": table.get("temperature", 0),
    }
    more |= {
        key: table[key] for key in ("price_in", "price_out", "currency", "notes") if key in table
    }
    words = tuple(f"--{key.replace('_', '-')}={value}" for key, value in more.items())
    return ModelRow(
        table["name"],
        table["url"].rstrip("/"),
        table["model"],
        table.get("key", ""),
        prompt,
        own,
        words,
    )


def _prompt(word: str, folder: Path, legal: bool) -> tuple[str, str]:
    """Return the name of a prompt, and its text if it does not come with the arena.
    Raises ConfigError.
    """
    prompts = {path.stem: path for path in (shipped.bots()[BOT] / "prompts").glob("*.md")}
    name, known = word.removesuffix(".md"), ", ".join(sorted(prompts))
    own = ""
    if word == name and name not in prompts:
        raise ConfigError(
            f"prompt: no {word} comes with the arena{meant(word, prompts)}; there are "
            f"{known}; a file ends in .md"
        )
    if word != name:
        if name in prompts:
            raise ConfigError(
                f"prompt: {name} is the name of a prompt of the arena; rename the file"
            )
        own = _own_prompt(folder / word, word)
    words = _words_of_parts(name, own or prompts[name].read_text())
    if "question" in words and ("choices" in words["question"]) != legal:
        said = (
            "shows the legal choices; take legal = false out"
            if legal is False
            else "does not show them; write legal = false"
        )
        raise ConfigError(f"prompt: {name} {said}, or name another prompt")
    return name, own


def _words_of_parts(name: str, text: str) -> dict[str, set[str]]:
    """Return the words such as $view in each part of a prompt. Raises ConfigError for a
    line that looks like the begin of a part, a part that comes twice, and a word that
    is not filled in where it stands.
    """
    if other := re.search("^===.*", PART.sub("", text), re.MULTILINE):
        raise ConfigError(
            f"prompt: {name}: {other[0][:40]!r} begins no part; write === question === or "
            "=== again ==="
        )
    system, *rest = PART.split(text)
    if len(set(rest[::2])) < len(rest[::2]):
        raise ConfigError(f"prompt: {name} has a part twice")
    parts = {"system": system, **dict(zip(rest[::2], rest[1::2], strict=True))}
    words = {part: set(Template(text).get_identifiers()) for part, text in parts.items()}
    known = set[str]().union(*WORDS.values())
    for part, found in words.items():
        if misplaced := sorted(found & known - WORDS[part]):
            places = " or ".join(other for other, known in WORDS.items() if misplaced[0] in known)
            raise ConfigError(
                f"prompt: {name}: ${misplaced[0]} is not filled in in the part {part}; "
                f"move it to {places}"
            )
    return words


def _own_prompt(path: Path, word: str) -> str:
    try:
        text = regular_files.read(path, MOST_FILE, follow=False).decode().replace("\r\n", "\n")
    except OSError as error:
        raise ConfigError(f"prompt: {word} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"prompt: {word} is not UTF-8 text") from None
    if not text.strip():
        raise ConfigError(f"prompt: {word} is empty")
    if (size := len(text.encode()) + 2 * text.count("\n")) > MOST_PROMPT:
        raise ConfigError(
            f"prompt: {word} is too long for the notes of a match: {size:,} bytes, with 2 for each "
            f"line, and {MOST_PROMPT:,} fit; $page brings the rules"
        )
    return text


def _leaks(path: Path, text: str, rows: Sequence[ModelRow]) -> list[str]:
    """Return a line for each text with a key in it: prompts are published, and are part
    of a bot's identity.
    """
    values = {_value(row.key) for row in rows if row.key}
    keys = [value for value in values if len(value) >= SHORTEST_KEY]
    texts = [
        (str(path), text),
        *((f"{path}: model {row.name}: prompt", row.own_prompt) for row in rows),
    ]
    return [
        f"{where} holds a key; take it out, and name the variable that holds it"
        for where, text in texts
        if _KEY_LIKE.search(text) or any(key in text for key in keys)
    ]
