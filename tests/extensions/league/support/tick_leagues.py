"""Leagues in ticks of small modules that are written by hand, so that neither a
compiler nor an interpreter is needed.
"""

from pathlib import Path

import pytest
from arena import arena
from once import made_once
from tick_bots import write_bot

from khiva_arena.extensions.league.folder import SETTINGS
from khiva_arena.extensions.league.settings import league_text
from khiva_arena.extensions.league.submissions import examine, trial_table

AUTHORS = {"ann": "weights", "bob": "others"}
"""The bot of each author, a module with a payload."""
SMALL = {"turn": "50ms", "seats": 2, "clock": "ticks", "game": "khiva"}


def new_tick_league(folder: Path, *, publish_bots: bool = True, **options: object) -> None:
    """Make the folder of a new league of four anchors in ticks, which nobody has
    played. ``options``: other settings.
    """
    anchors = [
        write_bot(folder / "bots" / "anchors" / f"plain {number}", rounds=number)
        for number in (1, 2, 3, 4)
    ]
    places = [str(Path(place).relative_to(folder)) for place in anchors]
    settings = {
        **SMALL,
        "bots": places,
        "anchor": "plain 1",
        "publish_bots": publish_bots,
        **options,
    }
    (folder / SETTINGS).write_text(league_text(settings))


def play_tick_league(folder: Path, *, publish_bots: bool) -> None:
    """Play a batch of the league "spring" with a bot of each of two authors, a final of
    these, and write "spring.khiva" with the modules that it publishes.
    """
    new_tick_league(folder / "spring", publish_bots=publish_bots, fewest_batches=0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            examine, "verdict_of", lambda *_: trial_table.Finding(True, "")
        )  # they keep to no more than matches need
        for author, bot in AUTHORS.items():
            arena(
                "league",
                "enter",
                "spring",
                write_bot(folder / bot, bot.encode()),
                "--author",
                author,
                cwd=folder,
            )
        arena("league", "play", "spring", "--batches", "1", cwd=folder)
        arena("league", "final", "spring", "--top", "2", "--seeds", "1", cwd=folder)
    (folder / "said").write_text(
        arena("bundle", "spring", "spring.khiva", "--with-modules", cwd=folder).stderr
    )


@made_once
def private_league(folder: Path) -> None:
    """Play a league that does not publish its bots."""
    play_tick_league(folder, publish_bots=False)
