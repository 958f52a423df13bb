"""A command that refuses a store writes nothing in it, so that the engine that made the
store can finish it.
"""

import ast
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest
from arena import ROOT, arena
from published import FORMATS, GAMES, HERE, contents, published
from published_forms import EXTRA, REMOTE, command
from wording import sentence

from khiva_arena.common.version import shown
from khiva_arena.records.store.db import FILE
from khiva_arena.records.store.locks import LOCK

VERSIONS = ("0.1.0", "0.2.0")
INTERRUPTED = [
    (version, f"{game}-{form}")
    for version in VERSIONS
    for game, form in [*((game, form) for game in GAMES for form in FORMATS), *EXTRA]
    if form != REMOTE and (HERE / version / f"{game}-{form}").exists()
]


def refused(words: list[str], where: Path, *stores: str) -> str:
    """Call a command that refuses, check that its stores are as before, and return what
    it says.
    """
    before = {store: contents(where / store) for store in stores}
    done = arena(*words, cwd=where, code=2)
    assert {store: contents(where / store) for store in stores} == before
    return done.stderr


@pytest.mark.soak
@pytest.mark.parametrize(("version", "case"), INTERRUPTED)
def test_an_interrupted_store_of_another_engine_is_left_to_it(
    version: str, case: str, tmp_path: Path
) -> None:
    published(case, tmp_path, version)
    game, _, form = case.partition("-")
    said = refused(command(game, form, tmp_path, tmp_path / "interrupted"), tmp_path, "interrupted")
    made = sentence("shards", "khiva-arena-made", engines=version, version=shown())
    assert (
        made if form == "merged" else sentence("events", "begun-khiva-arena", engines=version)
    ) in said


class Refusal(NamedTuple):
    """A refusal of a command that writes a store.

    module: the module that opens the store to write.
    case: the fixture of 0.2.0 that the command is given.
    words: of the command, by the folder with the fixture's stores.
    message: a part of its message.
    prepare: changes the fixture before.
    """

    module: str
    case: str
    words: Callable[[Path], list[str]]
    message: str
    prepare: Callable[[Path], object] = lambda _: None


def run_again(*more: str, store: str = "interrupted") -> Callable[[Path], list[str]]:
    """Return what makes the words that go on with a round-robin of Khiva."""
    return lambda where: [*command("khiva", "round-robin", where, where / store), *more]


def damage(where: Path) -> None:
    """Change the result of a match in the interrupted store, as no arbiter does."""
    with closing(sqlite3.connect(where / "interrupted" / FILE)) as connection, connection:
        connection.execute("UPDATE seats SET score = score + 1 WHERE ordinal = 0")


TOO_LATE = sentence("competition", "public-event-begun-without", number=1)
RUN, CLOSE, MERGE = (
    "competition/run/run.py",
    "interface/commands/close.py",
    "extensions/shards/merge.py",
)
ROUND_ROBIN = "khiva-round-robin"
REFUSED = {
    "run: another engine": Refusal(
        RUN, ROUND_ROBIN, run_again(), sentence("events", "begun-khiva-arena", engines="0.2.0")
    ),
    "run --commit": Refusal(
        RUN,
        ROUND_ROBIN,
        run_again("--commit"),
        sentence("events", "begun-khiva-arena", engines="0.2.0"),
    ),
    "run --public, too late": Refusal(
        RUN,
        ROUND_ROBIN,
        run_again("--any-engine", "--public", "drawn"),
        TOO_LATE,
    ),
    "run --new-event, of the same seed": Refusal(
        RUN,
        ROUND_ROBIN,
        run_again("--new-event", store="finished"),
        sentence("events", "new-event-same-settings", number=1),
    ),
    "run: changed settings": Refusal(
        RUN,
        ROUND_ROBIN,
        run_again("--any-engine", "--turn", "2s"),
        sentence("events", "or-begin-another-event"),
    ),
    "run: damage": Refusal(
        RUN,
        ROUND_ROBIN,
        run_again("--any-engine"),
        sentence("shards", "changed-since-written"),
        damage,
    ),
    "sprt: another engine": Refusal(
        RUN,
        "khiva-sprt",
        lambda where: command("khiva", "sprt", where, where / "interrupted"),
        sentence("events", "begun-khiva-arena", engines="0.2.0"),
    ),
    "run --from-plan": Refusal(
        RUN,
        "khiva-merged",
        lambda where: command("khiva", "merged", where, where / "interrupted"),
        sentence("shards", "khiva-arena-made", engines="0.2.0", version=shown()),
    ),
    "close: an event that is over": Refusal(
        CLOSE,
        ROUND_ROBIN,
        lambda _: ["close", "finished", "1", "--yes"],
        "there is nothing to close",
    ),
    "close: damage": Refusal(
        CLOSE,
        ROUND_ROBIN,
        lambda _: ["close", "interrupted", "1", "--yes"],
        sentence("shards", "changed-since-written"),
        damage,
    ),
    "merge: damage": Refusal(
        MERGE,
        "khiva-merged",
        lambda _: ["merge", "finished", "--out", "interrupted"],
        sentence("shards", "changed-since-written"),
        damage,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_command_writes_nothing(name: str, tmp_path: Path) -> None:
    refusal = REFUSED[name]
    published(refusal.case, tmp_path, "0.2.0")
    for store in ("finished", "interrupted"):
        (tmp_path / store / LOCK).touch(0o600)  # which the engine that made it has left there
    refusal.prepare(tmp_path)
    assert refusal.message in refused(refusal.words(tmp_path), tmp_path, "finished", "interrupted")


OF_LEAGUES = {"extensions/league/player/final.py", "extensions/league/player/refusals.py"}
"""Leagues, which 0.2.0 does not have: tests/extensions/league/test_player.py tries
their refusals.
"""
OF_PERSONS = {"extensions/seats/stored_alone.py"}
"""Matches with persons in ticks, which 0.2.0 does not have: test_persons_in_ticks.py
tries their refusal.
"""


def test_each_command_that_writes_a_store_has_a_refusal_here() -> None:
    package = ROOT / "khiva_arena"
    writers = {
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Store.write"
    }
    assert writers == {refusal.module for refusal in REFUSED.values()} | OF_LEAGUES | OF_PERSONS
