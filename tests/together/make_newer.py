"""Write the fixtures of what version 0.3.0 brought: `python
tests/together/make_newer.py`, in half a minute, until it is tagged.

They are an event in ticks, of a module, of one with a payload and of a bot that an
interpreter runs, and a league in ticks with a chain of two batches, a bot that an
author submitted, one that is retired, and one that waits. The modules are written by
hand and have a few hundred bytes, so that fixtures stay small. What a tagged version
has written is never made again.
"""

import json
import os
import re
import shutil
import sys
import tarfile
import tempfile
from hashlib import sha256
from pathlib import Path

sys.path.extend(map(str, Path(__file__).parents[1].glob("**/support")))

from arena import arena, kill, started, wait_for_matches
from echo import ECHO, tick_bots
from league_serving import league_server
from published import HERE, KEYS, NEWER_EVENT, NEWER_LEAGUE, newer_event, schema_keys

from khiva_arena.bots.modules.meter.maxima import with_memory
from khiva_arena.entrants import interpreters
from khiva_arena.extensions.league.submissions import examine, trial_table
from khiva_arena.records.store.db import FILE, Store

PLAIN = tick_bots.bot()
MIXES = f"local.get $sum i32.const {tick_bots.FRAME} i32.load 0 i32.xor local.set $sum\n"
WITH_PAYLOAD = tick_bots.bot(at_the_start=tick_bots.READS + MIXES)


def write_bots(place: Path) -> None:
    """Write the bots of both fixtures into a folder, and the interpreter of one beside
    them.
    """
    for name, module, payload in (
        ("plain", PLAIN, b""),
        ("weights", WITH_PAYLOAD, b"one\n"),
        ("others", WITH_PAYLOAD, b"two\n"),
    ):
        (place / name).mkdir(parents=True)
        has = f'payload = "{name}.bin"\n' if payload else ""
        (place / name / "bot.toml").write_text(f'name = "{name}"\nmodule = "bot.wasm"\n{has}')
        (place / name / "bot.wasm").write_bytes(module)
        if payload:
            (place / name / f"{name}.bin").write_bytes(payload)
    (place / "script").mkdir()
    (place / "script" / "bot.toml").write_text('name = "script"\ninterpreter = "echo main.js"\n')
    (place / "script" / "main.js").write_text("a script, by which its interpreter chooses\n")
    (place / "interpreters").mkdir()
    (place / "interpreters" / "echo.wasm").write_bytes(with_memory(ECHO, 16))


def make_event(folder: Path) -> None:
    """Play the event in ticks, and once more up to a kill."""
    arena(*newer_event("finished"), cwd=folder)
    arena("bundle", "finished", "bundle", "--with-modules", cwd=folder)
    matches = len(said_of(folder / "finished")[0]["digests"])
    while not 0 < already(folder / "interrupted") < matches:  # it may have ended before its kill
        shutil.rmtree(folder / "interrupted", ignore_errors=True)
        run = started(*newer_event("interrupted"), cwd=folder)
        wait_for_matches(folder / "interrupted" / FILE, 2)
        kill(run)
        run.communicate()
    keep(folder, NEWER_EVENT, "finished", "interrupted", "bots")


def already(store: Path) -> int:
    """Return how many matches a store has of its events."""
    return sum(len(event["digests"]) for event in said_of(store)) if (store / FILE).exists() else 0


def said_of(store: Path) -> list[dict]:
    """Return the events of a store as ``events.json`` has them."""
    with Store.read(store) as opened:
        return [
            {"id": row.id, "commitment": row.commitment, "digests": opened.digests(row.id)}
            for row in opened.events()
        ]


def make_league(folder: Path) -> None:
    """Play two batches of a league in ticks: bob's bot is retired after the first one,
    and ann's is submitted.
    """
    arena("league", "new", "league", "--seats", "2", "--clock", "ticks", cwd=folder)
    shutil.rmtree(folder / "league" / "bots")
    for name in ("plain", "weights"):
        shutil.copytree(folder / "bots" / name, folder / "league" / "bots" / "anchors" / name)
    settings = folder / "league" / "league.toml"
    text = settings.read_text()
    pin = sha256((folder / "bots" / "interpreters" / "echo.wasm").read_bytes()).hexdigest()
    for key, value in {
        "bots": '["bots/anchors/plain", "bots/anchors/weights"]',
        "unreleased_interpreters": "true",
        "interpreters": f'{{ echo = "{pin}" }}',
        "turn": '"50ms"',
        "anchor": '"plain"',
    }.items():
        text, times = re.subn(rf"(?m)^#? ?{key} = .*$", f"{key} = {value}", text, count=1)
        assert times, key
    settings.write_text(text)
    arena("league", "enter", "league", "bots/script", "--author", "bob", cwd=folder)
    arena("league", "play", "league", "--batches", "1", cwd=folder)
    token = arena("league", "author", "add", "league", "ann", cwd=folder).stdout.strip()
    with league_server(folder / "league") as server:
        told = {"KHIVA_ARENA_TOKEN": token, "XDG_STATE_HOME": str(folder)}
        arena("submit", "bots/others", "--agree", "--to", server.origin, cwd=folder, env=told)
    arena("league", "retire", "league", "script v1", "--why", "it has played enough", cwd=folder)
    arena("league", "play", "league", "--batches", "1", cwd=folder)
    (folder / "bots" / "others" / "others.bin").write_bytes(b"three\n")
    with league_server(folder / "league") as server:
        arena("submit", "bots/others", "--agree", "--to", server.origin, cwd=folder, env=told)
    kept = sorted(
        (folder / "khiva-arena" / "receipts").iterdir(), key=lambda path: path.stat().st_mtime
    )
    (folder / "receipts").write_text(
        "".join(path.read_text() for path in kept)
    )  # a port is a league's address
    arena("bundle", "league", "bundle", "--with-modules", cwd=folder)
    for derived in ("public/batches", "public/matches", "sums"):
        shutil.rmtree(folder / "league" / derived, ignore_errors=True)
    keep(folder, NEWER_LEAGUE, "league", "receipts", "bots/interpreters")


def keep(folder: Path, name: str, *parts: str) -> None:
    """Keep files and folders as a fixture, the bundle beside them, and what the events
    of the first store were.
    """
    place = HERE / name
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    shutil.copy(folder / "bundle", place / "bundle")
    with tarfile.open(place / "stores.tar.xz", "w:xz", preset=9) as tar:
        for part in parts:
            tar.add(folder / part, part, filter=nobodys)
    (place / "events.json").write_text(json.dumps(said_of(folder / parts[0]), indent=1) + "\n")
    print(name, sum(path.stat().st_size for path in place.iterdir()), "bytes")


def nobodys(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Return a file of a fixture without its owner; None for a lock, a log or a seal,
    which a store does without.
    """
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return None if member.name.endswith((".lock", "log.jsonl", ".seal", "-shm")) else member


def main() -> None:
    (HERE / KEYS).write_text(
        json.dumps(schema_keys(), separators=(",", ":")).replace("],", "],\n") + "\n"
    )
    examine.verdict_of = lambda *_: trial_table.Finding(
        True, ""
    )  # these bots keep to no more than matches need
    for make in (make_event, make_league):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            folder.chmod(0o755)
            write_bots(folder / "bots")
            os.environ |= {
                "KHIVA_ARENA_CACHE": str(folder / "cache"),
                interpreters.FOLDER: str(folder / "bots" / "interpreters"),
            }
            interpreters._module.cache_clear()
            make(folder)


if __name__ == "__main__":
    main()
