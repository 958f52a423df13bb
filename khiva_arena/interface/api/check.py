"""The check whether a bot keeps the protocol, for Python."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from khiva_arena.bots.protocol.bot_function import Choose
from khiva_arena.competition.conformance.check_report import CheckReport
from khiva_arena.games.registry import NAMES
from khiva_arena.interface.api.checkpoints import Checkpoint
from khiva_arena.interface.api.functions import as_words
from khiva_arena.interface.api.host import Host, is_remote
from khiva_arena.interface.api.keywords import plain_settings, refuse_early, several

OF_A_CHECK = (
    "rules",
    "turn",
    "bank",
    "start",
    "isolation",
    "trust_bots",
    "network",
    "env",
    "limits",
    "runtimes",
)
OF_A_LINK = ("listen", "tls_cert", "tls_key", "tokens", "reconnect")


def check(
    bot: str | Path | Choose | Checkpoint,
    *,
    games: str | Sequence[str] = (),
    quick: bool = False,
    **settings: Any,
) -> CheckReport:
    """Check step by step that a bot keeps the protocol. ``report.passed`` tells whether
    it does.

    bot: a folder with a bot.toml, a word as ``--bot`` takes it, or a function, which is
        checked at isolation trusted.
    games: names of games, to check no others that the bot plays.
    quick: takes seconds: fewer seat counts and sizes.
    settings: those in ``OF_A_CHECK``: rules (of the one game), turn, bank, start,
        isolation, trust_bots, network, env, limits, runtimes. A bot behind a relay also
        takes those in ``OF_A_LINK``.

    Raises ConfigError for wrong settings, or if the level cannot start the bot.
    """
    (word,), functions = as_words((bot,))
    keywords = plain_settings(settings, functions, known=(*OF_A_CHECK, *OF_A_LINK))
    names = several("games", games)
    if set(names) <= set(NAMES):  # only the host process runs the code of other games
        # not above: tables and matches do without it
        from khiva_arena.interface.api.new_check import parts_of_check

        refuse_early(keywords, lambda values: parts_of_check(word, names, values))
    host = Host(
        "check",
        aloud=is_remote((word,)),
        bot=word,
        games=names,
        quick=bool(quick),
        keywords=keywords,
    )
    return msgspec.convert(host.value(), CheckReport)
