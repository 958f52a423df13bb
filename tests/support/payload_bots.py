"""Bots of one module and a payload each, on which their choices depend, and an event of
three of them in ticks.
"""

import json
from pathlib import Path

import pytest
from arena import arena, bots
from makers import maker_at
from once import made_once
from wording import pattern

from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.store.db import Store

with maker_at(Path(__file__).parent.parent / "bots" / "modules" / "make_ticks.py") as maker:
    made = maker.tick_bots
TAKES = f"local.get $sum i32.const {made.FRAME} i32.load 0 i32.xor local.set $sum\n"
MODULE = made.bot(at_the_start=made.READS + TAKES)
"""A bot whose choices depend on the first bytes of its payload, which it must have."""
PAYLOADS = {"one": b"one\n", "two": b"two\n" * 10_000, "none": b""}
EVENT = ("--clock", "ticks", "--seats", "2", "--seeds", "1", "--seed", "a", "--turn", "50ms")
RUN_AGAIN = pattern("verify", "bots-run-again", matches="6 matches")


def folder(place: Path, payload: bytes, *lines: str) -> Path:
    """Write a bot of the module and a payload into a folder."""
    place.mkdir()
    text = [f'name = "{place.name}"', 'module = "bot.wasm"', 'payload = "weights.bin"', *lines]
    (place / "bot.toml").write_text("\n".join(text))
    (place / "bot.wasm").write_bytes(MODULE)
    (place / "weights.bin").write_bytes(payload)
    return place


@made_once
def cup(place: Path) -> None:
    """Play an event of three bots of one module, in ticks: 6 matches."""
    for name, payload in PAYLOADS.items():
        folder(place / name, payload)
    arena("run", *EVENT, *bots(*PAYLOADS), "--out", "cup", cwd=place)
    arena("bundle", "cup", "cup.khiva", "--with-modules", cwd=place)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, as a machine has that has built nothing."""
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def definition_of(store: Path) -> Definition:
    with Store.read(store) as opened:
        return opened.events()[0].definition


def choices(store: Path) -> list[str]:
    with Store.read(store) as opened:
        (event,) = opened.events()
        return [json.dumps(json.loads(row.record)["steps"]) for row in opened.matches(event.id)]
