"""What a page is given for the workbench when it is made: the bots to play against, and
the files of a new bot.
"""

import json
import re
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from khiva_arena.common import shipped
from khiva_arena.entrants import bots as bot_files
from khiva_arena.interface.commands.new_folder import START, fill

LANGUAGES = ("python", "javascript")
LEVELS = {
    "khiva": {"weak": "random", "greedy": "greedy", "strong": "search_deep"},
    "emira": {"weak": "random", "greedy": "greedy_emira", "strong": "search_emira"},
    "silk_road": {"weak": "random", "greedy": "greedy_silk_road", "strong": "search_silk_road"},
}
"""The opponents of each game by their strength, as folders of bots/python. None thinks
for a second about a decision.
"""
_LINK = re.compile(r"\[([^\]\n]+)\]\(/[^)\n]*\)")
KEPT = ("run", "interpreter", "memory", "build")
"""The lines of a bot.toml that its identity is made of, so that a copy with all of its
files is the same bot.
"""


def workbench_blocks() -> dict[str, bytes]:
    """Return what the page carries, by the names of its blocks."""
    folders = sorted({folder for levels in LEVELS.values() for folder in levels.values()})
    opponents = {"games": LEVELS, "bots": {folder: _copy_of(folder) for folder in folders}}
    templates = {language: _template(language) for language in LANGUAGES}
    return {"opponents": _json(opponents), "templates": _json(templates)}


def _json(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True).encode()


def _copy_of(folder: str) -> dict[str, str]:
    """Return the files of a shipped bot with those that it includes: a folder that is
    the same bot wherever it lies.
    """
    bot = bot_files.load(f"{shipped.WORD}python/{folder}")
    raw = tomllib.loads(Path(bot.home, "bot.toml").read_text(encoding="utf-8"))
    files = {name: path.read_text(encoding="utf-8") for name, path in bot.sources}
    keys = {key: raw[key] for key in ("name", "version", *KEPT, "games") if key in raw} | {
        "files": [*files]
    }
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in keys.items()]
    return {"bot.toml": "".join(lines), **files}


def _template(language: str) -> dict[str, str]:
    """Return the files that ``khiva-arena new`` writes for a bot, without AGENTS.md and
    links to files of this machine.
    """
    kit = shipped.languages()[language]
    with tempfile.TemporaryDirectory() as draft:
        fill(kit, Path(draft), "my-bot", START, as_module=False)
        paths = sorted(Path(draft).iterdir(), key=lambda path: (path.name != kit.main, path.name))
        return {path.name: _LINK.sub(r"\1", path.read_text(encoding="utf-8")) for path in paths}
