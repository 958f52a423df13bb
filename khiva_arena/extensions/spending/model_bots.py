"""Language models as bots: the shipped bot that asks an API, with the settings, the
prompt and the rules pages of a row.
"""

import json
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

import khiva_arena
from khiva_arena.bots.sandbox import regular_files
from khiva_arena.common.say import Say
from khiva_arena.competition.settings import consent
from khiva_arena.competition.settings.settings import ROWS
from khiva_arena.display.terminal.question import can_ask
from khiva_arena.entrants.bot_lists import END, ListedBot
from khiva_arena.entrants.bots import load
from khiva_arena.entrants.loading import DEFAULT, Loading
from khiva_arena.entrants.private_bot import PrivateBot, new_parent
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.spending import models_file
from khiva_arena.extensions.spending.models_file import BOT, ModelRow
from khiva_arena.words import meant


class ModelBots:
    """Files of language models, as ``entrants.bot_lists.BotLists`` wants them."""

    def __init__(self) -> None:
        """Know no file and no bot yet."""
        self._agreed: dict[str, Sequence[ModelRow]] = {}
        self._made: dict[str, ModelRow] = {}

    def settings(self, path: Path, say: Say, *, yes: bool) -> Mapping[str, tuple[str, ...]]:
        if path.suffix != END[:-1]:
            raise ConfigError(f"{path}: the name of a file of models ends in {END[:-1]}; rename it")
        rows = models_file.read(path)
        if problems := models_file.secrets(rows):
            raise ConfigError([f"{path}: {problem}" for problem in problems])
        for row in rows:
            say(_listed(row).line(row.name, ["the network", *([row.key] if row.key else [])]))
        permissions = {
            "network": tuple(row.name for row in rows),
            "env": tuple(f"{row.name}={row.key}" for row in rows if row.key),
        }
        if not yes:
            _ask(path, rows, permissions, say)
        self._agreed[os.path.abspath(path)] = rows  # somebody may change the file meanwhile
        return {"bots": tuple(f"{path}:{row.name}" for row in rows), **permissions}

    def read(self, word: str, base: str, loading: Loading) -> PrivateBot:
        place, _, name = word.rpartition(":")
        path = Path(base, place)
        rows = {
            row.name: row
            for row in self._agreed.get(os.path.abspath(path)) or models_file.read(path)
        }
        if name not in rows:
            raise ConfigError(
                f"no model has this name{meant(name, rows)}; there are {', '.join(rows)}"
            )
        folder = new_parent("model") / "bot"
        private = PrivateBot(
            folder, word, loading, ((str(folder), word), (str(folder.parent), word))
        )
        with private.in_words():
            for file, data in _files(rows[name]):
                (folder / file).parent.mkdir(parents=True, exist_ok=True)
                (folder / file).write_bytes(data)
        self._made[str(folder)] = rows[name]
        return private

    def row_of(self, home: str) -> ListedBot | None:
        row = self._made.get(home)
        return _listed(row) if row else None


def _listed(row: ModelRow) -> ListedBot:
    url = urlsplit(row.url)
    bare = (
        ", without encryption"
        if url.scheme == "http" and not models_file.is_loopback(url.hostname or "")
        else ""
    )
    return ListedBot(f"{url.netloc}{bare}", f"model {row.model}", json.dumps(row))


def _ask(
    path: Path, rows: Sequence[ModelRow], permissions: Mapping[str, tuple[str, ...]], say: Say
) -> None:
    """Check that the user agrees, now or at an earlier time, to what a file opens:
    somebody else may have written it, and a key goes to the address that it names.
    Raises ConfigError if not.
    """
    openings = [consent.Opening(ROWS[name], words) for name, words in permissions.items() if words]
    digest = consent.digest_of_file(path, json.dumps(rows), ())
    if not can_ask() and not {opening.row.name for opening in openings} <= consent.remembered(
        digest
    ):
        raise ConfigError(
            f"{path} gives bots the network and keys: type the command once at a terminal, "
            "which asks and remembers, or add --yes"
        )
    consent.ask(path, openings, digest, say, rows=map(_listed, rows))


def _files(row: ModelRow) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the bytes of each file of a model's bot. Raises OSError."""
    bot = load(BOT)
    for path, source in bot.sources:
        yield path, regular_files.read(source, DEFAULT.bot_file_size)
    for page in sorted(Path(khiva_arena.__file__).parent.glob("games/*/RULES.md")):
        yield f"rules/{page.parent.name}.md", page.read_bytes()
    if row.own_prompt:
        yield f"prompts/{row.prompt}.md", row.own_prompt.encode()
    texts = {
        "name": row.name,
        "version": f"{bot.version} {row.prompt}",
        "run": shlex.join([*bot.run, *row.words]),
        "build": shlex.join(bot.build),
    }
    lines = [f"{key} = {json.dumps(text, ensure_ascii=False)}\n" for key, text in texts.items()]
    yield "bot.toml", "".join([*lines, "reports = true\n"]).encode()
