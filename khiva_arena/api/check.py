"""The check of a bot: whether it keeps the protocol."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from khiva_arena.api.host import Host
from khiva_arena.api.keywords import plain_settings
from khiva_arena.check.report import CheckReport


def check(bot: str | Path, *, games: Sequence[str] = (), quick: bool = False, **settings: Any) -> CheckReport:
    """Check step by step that a bot keeps the protocol. ``report.passed`` says whether it does.

    bot: a folder with a bot.toml, or a word as ``--bot`` takes it.
    games: only these of those that it plays.
    quick: some seconds: fewer seat counts and sizes.
    settings: turn, bank, start, isolation, trust_bots, limits, runtimes.

    Raises ConfigError for wrong settings, or if the level cannot start the bot.
    """
    given = plain_settings(settings, ())
    found = Host("check", bot=str(bot), games=list(games), quick=quick, given=given).value()
    return msgspec.convert(found, CheckReport)
