"""Plans and shards by keyword."""

from pathlib import Path

import pytest
from arena import arena, bots

import khiva_arena
from khiva_arena.errors import ConfigError


def test_what_is_no_plan_or_no_shard_of_it_is_refused_before_a_process_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_process(*words: object, **how: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr("khiva_arena.interface.api.competitions.Host", no_process)
    seated = bots("shipped:python/random", "shipped:python/naive")
    arena("run", *seated, "--seats", "2", "--seeds", "2", "--plan", "p.json", cwd=tmp_path)
    for shard in ("3/2", "first"):
        with pytest.raises(ConfigError):
            khiva_arena.run(from_plan=tmp_path / "p.json", shard=shard, out=tmp_path)
    for plan in ("none.json", ".."):
        with pytest.raises(ConfigError):
            khiva_arena.run(from_plan=tmp_path / plan, out=tmp_path)
