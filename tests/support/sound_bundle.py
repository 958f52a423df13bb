"""A sound bundle, and what verify says."""

from pathlib import Path
from typing import Any

import pytest
from arena import arena, bots
from bundling import lines_of
from once import made_once
from stores import FORFEITS, RANDOM, STRIKES

from khiva_arena.interface.cli.main import run

Lines = list[dict[str, Any]]


THREE = bots(RANDOM, STRIKES, FORFEITS)


EVENT, RUN_SECRET, FIRST_MATCH = (
    1,
    2,
    5,
)  # places of lines: a header, an event, the run's secret, two seeds', then matches


@made_once
def folder(folder: Path) -> None:
    """A store with 12 matches of three bots, one of which has a strike in each of its
    matches and one of which forfeits.
    """
    arena(
        "run", *THREE, "--seats", "2", "--seeds", "2", "--seed", "demo", "--out", "out", cwd=folder
    )
    arena("bundle", "out", "b.khiva", cwd=folder)


@pytest.fixture(scope="module")
def sound(folder: Path) -> Lines:
    return lines_of(folder / "b.khiva")


def command(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command, in this process."""
    code = run([str(word) for word in words])
    said = capsys.readouterr()
    return code, said.out, said.err


def verified(data: bytes, where: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """The same of ``verify`` on a file of these bytes."""
    (where / "changed").write_bytes(data)
    return command(capsys, "verify", where / "changed")
