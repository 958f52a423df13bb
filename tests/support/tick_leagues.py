"""Leagues in ticks of small modules that are written by hand, so that neither a compiler nor an interpreter is needed."""

from pathlib import Path

import pytest
import tick_bots
from arena import arena
from once import made_once

from khiva_arena.league.folder import SETTINGS
from khiva_arena.league.settings import league_text
from khiva_arena.league.submissions import examine

AUTHORS = {"ann": "weights", "bob": "others"}
"""The bot of each author, a module with a payload."""
SMALL = {"turn": "50ms", "seats": 2, "clock": "ticks", "game": "khiva"}
READS = f"i32.const 3 i32.const {tick_bots.INPUT} i32.const 1 i32.const {tick_bots.GOT} $fd_read drop\n"


def write_bot(place: Path, payload: bytes = b"", works: int = 1) -> str:
    """Write a bot that is a module into a new folder, and return its place. ``works``: by which modules differ."""
    place.mkdir(parents=True)
    has = 'payload = "payload.bin"\n' if payload else ""
    (place / "bot.toml").write_text(f'name = "{place.name}"\nmodule = "bot.wasm"\n{has}')
    (place / "bot.wasm").write_bytes(tick_bots.bot(at_the_start=READS * bool(payload) + tick_bots.works(works)))
    if payload:
        (place / "payload.bin").write_bytes(payload)
    return str(place)


def new_tick_league(folder: Path, *, publish_bots: bool = True, **options: object) -> None:
    """Make the folder of a new league of four anchors in ticks, which nobody has played. ``options``: other settings."""
    anchors = [write_bot(folder / "bots" / "anchors" / f"plain {number}", works=number) for number in (1, 2, 3, 4)]
    places = [str(Path(place).relative_to(folder)) for place in anchors]
    settings = {**SMALL, "bots": places, "anchor": "plain 1", "publish_bots": publish_bots, **options}
    (folder / SETTINGS).write_text(league_text(settings))


def play_tick_league(folder: Path, *, publish_bots: bool) -> None:
    """Play a batch of the league "spring" with a bot of each of two authors, a final of these, and write "spring.khiva" with the
    modules that it publishes."""
    new_tick_league(folder / "spring", publish_bots=publish_bots, fewest_batches=0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(examine, "_verdict", lambda *_: examine.Finding(True, ""))  # they keep to no more than matches need
        for author, bot in AUTHORS.items():
            arena("league", "enter", "spring", write_bot(folder / bot, bot.encode()), "--author", author, cwd=folder)
        arena("league", "play", "spring", "--batches", "1", cwd=folder)
        arena("league", "final", "spring", "--top", "2", "--seeds", "1", cwd=folder)
    (folder / "said").write_text(arena("bundle", "spring", "spring.khiva", "--with-modules", cwd=folder).stderr)


@made_once
def private_league(folder: Path) -> None:
    """Play a league that does not publish its bots."""
    play_tick_league(folder, publish_bots=False)
