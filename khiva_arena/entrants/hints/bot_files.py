"""Causes of failures in the bot's own files: modes, a first line, a name in ``run``, a
missing last call.
"""

import os
import re
from difflib import get_close_matches
from pathlib import Path

from khiva_arena.common.shipped import languages
from khiva_arena.entrants import sources
from khiva_arena.entrants.bots import Bot

READ_MOST = 1 << 20
"""Most bytes of a file that are looked at."""
LAST_CALLS = {
    "python": 'play("NAME", choose)',
    "javascript": 'play("NAME", choose)',
    "typescript": 'play("NAME", choose)',
    "ruby": 'Khiva.play("NAME") { |decide, match| ... }',
    "php": 'Khiva\\play("NAME", $choose)',
    "perl": 'play("NAME", $choose)',
    "lua": 'kit.play("NAME", choose)',
}
"""The last call of a bot by the kit, in languages whose programs may end without a word
when that call is missing.
"""
_CALL = re.compile(r"^(?!\s*(?:#|//|--|\*))[^\n]*\bplay\s*\(", re.MULTILINE)
_KIT = re.compile(r"khiva_?kit", re.IGNORECASE)
_KIT_FILE = re.compile(r"khiva_?(?:kit|spent)\.\w+", re.IGNORECASE)
_SHELL_READ = re.compile(
    r"not found|syntax error|Syntax error|[Uu]nexpected|unexpected token|Exec format"
)


def hint_of(bot: Bot, language: str, actual: str, notes: str) -> str:
    """Return a line for a bot that ended as ``actual`` says and left ``notes`` on
    stderr; "" if its files do not show why.
    """
    if not bot.sources or not bot.run or "ended" not in actual:
        return ""
    program = os.path.normpath(bot.run[0]) if "/" in bot.run[0] else ""
    if program in dict(bot.sources) and (
        text := _of_program(bot, program, language, actual, notes)
    ):
        return text
    if "exited with code" in actual and (text := _misspelt(bot, notes)):
        return text
    return _no_call(bot, language) if "exited with code 0" in actual and not notes.strip() else ""


def _of_program(bot: Bot, name: str, language: str, actual: str, notes: str) -> str:
    path = dict(bot.sources)[name]
    if "may not be executed" in actual and not os.access(path, os.X_OK):
        return f"{name} has no right to be executed: chmod +x {name}, in the bot's folder"
    first = _read(bot, path).split(b"\n")[0]
    if first.startswith(b"#!"):
        if first.endswith(b"\r"):
            return (
                f"the first line of {name} ends in CR LF, so that the system looks for a "
                "program of another name: save it with LF"
            )
        return ""
    if (
        first.startswith(b"\x7fELF")
        or b"\0" in first
        or "exited with code" not in actual
        or not _SHELL_READ.search(notes)
    ):
        return ""
    kit = languages().get(language)
    word = "{python}" if language == "python" else kit.tool if kit else ""
    how = f', or in bot.toml run = "{word} {name}"' if word and language in LAST_CALLS else ""
    return (
        f"{name} has no first line that names its interpreter, and so a shell reads it: begin "
        f"it with #!/usr/bin/env ...{how}"
    )


def _misspelt(bot: Bot, notes: str) -> str:
    """Return the how for a word of ``run`` that looks like one of the bot's files and
    is none; "" if there is none.

    Only a word that the interpreter complains of, in ``notes``, counts.
    """
    names = [name for name, _ in bot.sources]
    for word in bot.run[1:]:
        plain = not word.startswith(("-", "/", "{")) and re.fullmatch(r"[\w./-]+\.\w+", word)
        if plain and os.path.normpath(word) not in names and word in notes:
            near = get_close_matches(os.path.normpath(word), names, n=1)
            return f"{word} is not among the bot's files" + (
                f": did you mean {near[0]}?" if near else f" ({', '.join(names[:5])})"
            )
    return ""


def _no_call(bot: Bot, language: str) -> str:
    """Return the how for a bot whose own files load the kit and never call it, "" if
    they do.
    """
    if language not in LAST_CALLS:
        return ""
    texts = {name: _read(bot, path).decode(errors="replace") for name, path in bot.sources}
    own_texts = {
        name: text
        for name, text in texts.items()
        if not _KIT_FILE.fullmatch(os.path.basename(name))
    }
    loading = [name for name, text in own_texts.items() if _KIT.search(text)]
    if not loading or any(_CALL.search(text) for text in own_texts.values()):
        return ""
    return (
        f"it ends at once: {loading[0]} loads the kit and never starts it; its last line is "
        f"{LAST_CALLS[language]}"
    )


def _read(bot: Bot, path: Path) -> bytes:
    try:
        with sources.open_source(path, bot.root) as file:
            return file.read(READ_MOST)
    except OSError:  # changed since it was staged: then it explains nothing
        return b""
