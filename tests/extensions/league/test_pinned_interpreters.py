"""A league in ticks pins the interpreters of its bots, whatever is installed later."""

import json
import re
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest
from arena import arena
from echo import ECHO

from khiva_arena.bots.modules.meter.maxima import with_memory
from khiva_arena.bots.modules.released import UNKNOWN
from khiva_arena.common.say import say_nothing
from khiva_arena.entrants import interpreters
from khiva_arena.extensions.league.chain.links import Entered, Founded, read_link
from khiva_arena.extensions.league.public_state import PublicLeague
from khiva_arena.extensions.league.settings import league_of
from khiva_arena.extensions.league.submissions import examine, trial_table
from khiva_arena.records.store.db import Store

pytestmark = pytest.mark.slow

THEN, LATER = with_memory(ECHO, 16), with_memory(ECHO + b"\0\2\1x", 16)


def install(folder: Path, module: bytes) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "echo.wasm").write_bytes(module)
    interpreters._module.cache_clear()


def bot(place: Path) -> str:
    place.mkdir()
    (place / "bot.toml").write_text(f'name = "{place.name}"\ninterpreter = "echo main.js"\n')
    (place / "main.js").write_text(place.name)
    return str(place)


@pytest.mark.soak
def test_bots_run_in_the_interpreter_of_the_terms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv(interpreters.FOLDER, str(tmp_path / "installed"))
    monkeypatch.setattr(
        interpreters, "_built", lambda: tmp_path / "built"
    )  # nor is there what this checkout has built
    monkeypatch.setattr(
        examine, "verdict_of", lambda *_: trial_table.Finding(True, "")
    )  # the bot keeps to no more than matches need
    install(tmp_path / "installed", THEN)
    arena("league", "new", "summer", "--seats", "2", "--clock", "ticks", cwd=tmp_path)
    file, digest = tmp_path / "summer" / "league.toml", sha256(THEN).hexdigest()
    text = file.read_text()
    assert "\ninterpreters = {}\n" in text  # no release has this one
    for key, value in {
        "bots": json.dumps([bot(tmp_path / "one"), bot(tmp_path / "two")]),
        "anchor": json.dumps("one"),
        "unreleased_interpreters": "true",
        "interpreters": f'{{ echo = "{digest}" }}',
    }.items():
        text = re.sub(rf"(?m)^#?{key} = .*$", f"{key} = {value}", text)
    file.write_text(text)
    arena("league", "enter", "summer", bot(tmp_path / "ann"), "--author", "ann", cwd=tmp_path)
    install(tmp_path / "installed", LATER)
    arena("league", "play", "summer", "--batches", "1", cwd=tmp_path)
    with Store.read(tmp_path / "summer") as store:
        links = [read_link(row.text) for row in store.links()]
        modules = {one.module for one in store.events()[0].definition.bots}
    founded, entered = links[0], next(link for link in links if isinstance(link, Entered))
    assert isinstance(founded, Founded)
    assert (founded.terms.interpreters, modules) == ({"echo": digest}, {digest})
    state = msgspec.json.decode(
        (tmp_path / "summer" / "public" / "league.json").read_bytes(), type=PublicLeague
    )
    assert {one.runs_in for one in state.bots} == {UNKNOWN}

    # The pin moves on: who was entered plays on as it was.
    pin = sha256(LATER).hexdigest()
    file.write_text(file.read_text().replace(digest, pin))
    league = league_of(tmp_path / "summer", {}, say_nothing)
    again = trial_table.as_played(
        league, examine.load(league, entered.sources, "ann", entered.parts)
    )
    assert again.identity == entered.identity
    assert (
        trial_table.as_played(league, examine.load(league, entered.sources, "ann")).parts[0] == pin
    )
