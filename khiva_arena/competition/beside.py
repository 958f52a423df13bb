"""The files that a run writes beside its store: the stream of events and the page of results."""

from collections.abc import Sequence
from pathlib import Path

from khiva_arena.competition.settings import Settings
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import ConfigError
from khiva_arena.store.new_file import check_new_file


def check_files(settings: Settings, entrants: Sequence[Bot]) -> None:
    """Raise ConfigError if the stream of events or the page of results cannot be written, or would lie among files that are not
    its own."""
    for flag, file in (("--events", settings.events), ("--report", settings.report)):
        if file is None:
            continue
        place = file.resolve()
        if place.is_relative_to(settings.out.resolve()):
            raise ConfigError(f"{flag} {file}: lies in the store {settings.out}; name a file elsewhere")
        for bot in entrants:
            named = Path(bot.asked_as).resolve()
            if bot.sources and place.is_relative_to(named if named.is_dir() else named.parent):
                where = f"lies in the folder of bot {bot.name}, which it would make another bot"
                raise ConfigError(f"{flag} {file}: {where}; name a file elsewhere")
    if settings.report is not None:
        if settings.events is not None and settings.events.resolve() == settings.report.resolve():
            raise ConfigError(f"--report {settings.report}: --events names this file, too; name another one")
        from khiva_arena.report.html import BEGINNING  # not above: most runs write no page

        check_new_file(settings.report, replaces=BEGINNING)
