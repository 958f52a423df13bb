"""Shards of an event in ticks, whose modules a compiler has made."""

import json
import re
from pathlib import Path

import pytest
from arena import arena, bots
from bundling import lines_of
from compiled_bots import EVENT, RUN_AGAIN, digest
from compiled_bots import played as played
from wording import sentence

from khiva_arena.bots.sandbox.level import Level
from khiva_arena.competition.playing import jobs

pytestmark = [pytest.mark.language, pytest.mark.slow]


def test_shards_are_merged_with_their_modules(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = digest(arena("verify", "cup", cwd=played))
    arena("run", *EVENT, *bots("greedy", "random"), "--plan", "cup.plan", cwd=played)
    for part in "12":
        arena(
            "run",
            "--from-plan",
            "cup.plan",
            "--shard",
            f"{part}/2",
            "--out",
            f"part-{part}",
            cwd=played,
        )
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(tmp_path / "cache"))
    assert digest(arena("merge", "part-1", "part-2", "--out", "merged", cwd=played)) == whole
    assert re.search(RUN_AGAIN, arena("verify", "merged", "--rerun-bots", cwd=played).stdout)


@pytest.mark.usefixtures("basic")
def test_matches_of_different_cells_say_so_and_make_one_table_with_one_digest(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, whole = str(jobs.best()), digest(arena("verify", "cup", cwd=played))
    out = str(tmp_path / "cells")
    arena("run", *EVENT, *bots("greedy", "random"), "--plan", "cells.plan", cwd=played)
    for part, level in {"1": here, "2": "trusted"}.items():
        monkeypatch.setattr(jobs, "best", lambda level=level: Level(level))
        shard = ("--from-plan", "cells.plan", "--shard", f"{part}/2", "--out", f"cell-{part}")
        assert sentence("replay", "kept-at", level=level) in arena("run", *shard, cwd=played).stderr
    assert digest(arena("merge", "cell-1", "cell-2", "--out", out, cwd=played)) == whole
    listed = json.loads(arena("show", out, "--json", cwd=played).stdout)["matches"]
    assert [row["cell"] for row in listed] == [here, here, "trusted", "trusted"]
    (table,) = json.loads(arena("standings", out, "--json", cwd=played).stdout)["standings"]
    assert (table["isolation"], table["cells"], table["matches"]) == (
        "module",
        [here, "trusted"],
        4,
    )
    assert f"; runners kept at {here}, trusted" in arena("standings", out, cwd=played).stdout
    for number, level in {"0": here, "2": "trusted"}.items():
        assert (
            sentence("replay", "kept-at", level=level)
            in arena("show", out, f"1/{number}", cwd=played).stdout
        )
        assert (
            json.loads(arena("show", out, f"1/{number}", "--json", cwd=played).stdout)["cell"]
            == level
        )
    arena("bundle", out, str(tmp_path / "cells.khiva"), cwd=played)
    lines = lines_of(tmp_path / "cells.khiva")
    assert not [
        key
        for line in lines
        for key in (*line, *line.get("table", ()), *line.get("record", ()))
        if "cell" in key
    ]
