"""Consent of the user to files outside of a bot's folder, which ``include`` of its bot.toml names."""

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from khiva_arena.entrants.loading import Loading, refuse_include
from khiva_arena.errors import ConfigError
from khiva_arena.say import Say, say_nothing
from khiva_arena.text import harmless


def asking(loading: Loading, say: Say = say_nothing) -> Loading:
    """Return the loading that asks once about the files which a bot includes from outside of its folder; a flag permits all.

    say: tells what is asked; with ``say_nothing`` nobody is asked, and only an earlier word counts
    """
    return replace(loading, include=partial(_ask, say)) if loading.include is refuse_include else loading


def _ask(say: Say, bot_toml: Path, paths: Sequence[str]) -> None:
    """Check that the user agrees, now or at an earlier time, to these files for this folder. Raises ConfigError if not."""
    from khiva_arena.settings import consent  # not above: most bots include nothing
    from khiva_arena.settings.settings import ROWS
    from khiva_arena.terminal.question import agreed, can_ask

    digest = consent.digest_of(f"include\0{os.path.realpath(bot_toml.parent)}", paths)
    if consent.remembered(digest):
        return
    if say is say_nothing or not can_ask():
        refuse_include(bot_toml, paths)
    say(harmless(f"{bot_toml} takes files outside of its folder, which the bot may then read and send away: {', '.join(paths)}"))
    if not agreed("agree, for as long as it takes these files and no others?", yes=False):
        raise ConfigError(f"{bot_toml}: not agreed to; nothing is played")
    consent.remember(bot_toml, [consent.Opening(ROWS["allow_include"], True)], digest, say)
