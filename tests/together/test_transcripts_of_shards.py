"""Machines that divide an event keep transcripts of their matches, and a merge takes
them along.
"""

from pathlib import Path

import pytest
from arena import arena
from stand_in import stand_ins

from khiva_arena.records.store.db import Store
from khiva_arena.records.store.rows import TranscriptRow


def transcripts_in(folder: Path) -> dict[int, list[TranscriptRow]]:
    with Store.read(folder) as store:
        (event,) = store.events()
        return {
            match.ordinal: store.transcripts(event.id, match.ordinal)
            for match in store.matches(event.id)
        }


@pytest.mark.slow
def test_a_merge_takes_the_transcripts_of_the_parts_along(tmp_path: Path) -> None:
    stand_ins(tmp_path)
    how = (
        "--bot",
        "answers",
        "--bot",
        "never",
        "--seats",
        "2",
        "--seeds",
        "2",
        "--isolation",
        "trusted",
        "--trust-bots",
    )
    arena("run", *how, "--plan", "cup.plan", cwd=tmp_path)
    for part, more in (("1", ("--transcripts", "1MB")), ("2", ())):
        shard = (
            "--from-plan",
            "cup.plan",
            "--shard",
            f"{part}/2",
            "--trust-bots",
            "--out",
            f"part-{part}",
        )
        arena("run", *shard, *more, cwd=tmp_path)
    arena("merge", "part-1", "part-2", "--out", "all", cwd=tmp_path)
    merged, first, second = (
        transcripts_in(tmp_path / name) for name in ("all", "part-1", "part-2")
    )
    assert merged == first | second
    assert {len(rows) for rows in first.values()} == {2}
    assert {len(rows) for rows in second.values()} == {0}
    assert arena("verify", "all", cwd=tmp_path).returncode == 0
    words = [
        arena("show", "all", f"1/{ordinal}", "--transcript", cwd=tmp_path).stdout
        for ordinal in merged
    ]
    assert sum("in all {" in said for said in words) == len(first)
