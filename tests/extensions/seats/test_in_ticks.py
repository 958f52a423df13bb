"""``play --clock ticks``: a person beside modules, stored, checked and run again."""

from pathlib import Path

import pytest
from arena import arena, bots
from scripted_person import by_command
from tick_bots import write_bot

from khiva_arena.records.replay.record import WITH_PERSONS
from khiva_arena.records.replay.seeds import run_secret, seed_secret
from khiva_arena.records.replay.verify import verify

pytestmark = [pytest.mark.language, pytest.mark.slow]


@pytest.mark.parametrize("game", ["khiva", "emira", "silk_road"])
def test_the_same_choices_give_the_same_record(tmp_path: Path, game: str) -> None:
    bot = write_bot(tmp_path / "one")
    words = [*bots("person:ann", bot, bot), "--game", game, "--seed", "demo"]
    first = by_command(tmp_path, *words)
    assert first.header.format == WITH_PERSONS
    assert first.header.persons == (0,)
    verify(first, seed_secret(run_secret("demo"), 0))
    again = by_command(tmp_path, *words, "--out", "out")
    assert again == first
    assert len(again.steps) > 10
