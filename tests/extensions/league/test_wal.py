"""The -wal files of a league's player: emptied after a batch, once no reader holds the
checkpoint.
"""

from pathlib import Path

import pytest
from leagues import enter, league_in, player_of_names

from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.interface.api.verify import verify
from khiva_arena.records.store.db import FILE, Store


def test_a_player_tries_after_each_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader holds the checkpoint over the first batch and the second, and leaves at
    the end of that.
    """
    league = league_in(tmp_path)
    enter(league, "ann", "quick")
    held: list[Store] = []
    begun: list[int] = []  # the sizes of the -wal file at the first match of each batch

    def fails(ordinal: int, _attempt: int) -> bool:
        if ordinal == 0:
            begun.append((tmp_path / f"{FILE}-wal").stat().st_size)
        if not held:
            held.append(Store.read(tmp_path))
            assert held[0].events()
        if len(begun) == 2 and ordinal:
            held[0].close()
        return False

    with Queue(
        tmp_path
    ) as queue:  # else the player's own connection, the last one, would move all of it
        player_of_names(monkeypatch)(league, 3, fails=fails)
        assert (tmp_path / "queue.db-wal").stat().st_size == 0
        assert queue.entries()
    first, second, third = begun
    assert first < second > third
    assert verify(tmp_path).sound
