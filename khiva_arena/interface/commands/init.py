"""The work of ``khiva-arena init``: a commented settings file to begin with."""

import shlex
from pathlib import Path

from khiva_arena.common.text import harmless, is_text
from khiva_arena.competition.settings.template import settings_text
from khiva_arena.display.terminal.console import say
from khiva_arena.errors import ConfigError
from khiva_arena.records.store.new_file import new_file

BOTS = ("shipped:python/random", "shipped:python/naive", "shipped:python/greedy")
VALUES = {"bots": BOTS, "probation": True}
"""The settings of a new file that are not the defaults, beside the folder for results: a cup for a class, which no bot spoils."""


def init(file: Path) -> None:
    """Write the file."""
    if not is_text(file.name):
        raise ConfigError(f"{file.name!r}: name a file in text that a settings file can hold")
    if file.suffix != ".toml":
        raise ConfigError(
            f"{file}: `init` writes a settings file for `khiva-arena run`, whose name ends with .toml; "
            f"for a bot of your own, type khiva-arena new python {shlex.quote(str(file))}"
        )
    with new_file(file) as out:
        out.write(settings_text({**VALUES, "out": f"results/{file.stem}"}).encode())
    say(harmless(f"{file} is written; next: khiva-arena run {shlex.quote(str(file))}"))
