"""``khiva-arena standings`` of 10,050 matches as a user runs it, start-up included: CPU
seconds (user and system) of the process, one JSON object a line. ``standings.py
[REPEATS [SEEDS]]``: of 309 seeds there are 62,109 matches.

The store is made through ``Store`` with the rows of real matches: one short run is
played, its records, faults and notes are copied, and only who sat where and who came in
which place is made up. 20 bots, 3 seats, 50 seeds, 67 line-ups.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec
from msgspec.structs import replace

from khiva_arena.competition.events.find import check_event
from khiva_arena.competition.events.stored import bare_timetable
from khiva_arena.rating.schedule.timetable import Timetable
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.definition import DefinedBot, Definition
from khiva_arena.records.replay.record import canonical
from khiva_arena.records.store.db import BotRow, MatchRow, Store

ROOT = Path(__file__).parent.parent.parent
ARENA = [sys.executable, "-m", "khiva_arena"]
BOTS, SEATS, SEEDS, LINE_UPS = 20, 3, 50, 67
AIM = 1.0


def played(folder: Path) -> None:
    """A few real matches."""
    bots = [
        word
        for name in ("random", "naive", "greedy")
        for word in ("--bot", str(ROOT / "bots" / "python" / name))
    ]
    how = ["--seats", str(SEATS), "--seeds", "3", "--isolation", "trusted", "--seed", "bench"]
    subprocess.run(
        [*ARENA, "run", *bots, *how, "--out", str(folder)], check=True, capture_output=True
    )


def grown(small: Path, folder: Path, number: int) -> int:
    """A store with many matches, of this number of seeds, that look like those of a
    small one. Returns how many.
    """
    with Store.read(small) as source:
        (event,) = source.events()
        patterns = list(source.matches(event.id))
    rng = random.Random(20261120)
    bots = [
        BotRow(f"bot-{i:02}", f"{i:064x}", "1.0", True, f"bots/{i}", str(folder))
        for i in range(BOTS)
    ]
    named = tuple(DefinedBot(bot.name, bot.identity) for bot in bots)
    definition = msgspec.structs.replace(
        event.definition, seeds=number, lineups=LINE_UPS, bots=named, anchor=bots[0].name
    )
    commitment = seeds.commitment(definition.digest, event.secret)
    identity = seeds.event_id(definition.digest, commitment)
    timetable = bare_timetable(replace(event, id=identity, text=definition.text))
    with Store.write(folder) as store:
        store._connection.execute("PRAGMA synchronous = OFF")  # how it is written is not measured
        store.add_event(identity, definition.text, event.engines[0], commitment, event.secret, bots)
        for ordinal in range(timetable.matches):
            store.add_match(
                _like(rng, rng.choice(patterns), identity, ordinal, timetable, definition), {}
            )
        (event,) = store.events()
        check_event(store, event)  # as a run does before it plays, so that the store is sealed
    return timetable.matches


def _like(
    rng: random.Random,
    pattern: MatchRow,
    event: str,
    ordinal: int,
    timetable: Timetable,
    what: Definition,
) -> MatchRow:
    match = timetable.match(ordinal)
    assert match is not None
    points = [bot / 4 + rng.gauss(0, 2) for bot in match.bots]
    seats = [
        replace(seat, bot=bot, rank=1 + sum(other > mine for other in points))
        for seat, bot, mine in zip(pattern.seats, match.bots, points, strict=True)
    ]
    place = {
        "ordinal": ordinal,
        "seed": match.k,
        "lineup": match.lineup,
        "rotation": match.rotation,
    }
    record, name = json.loads(pattern.record), seeds.match_id(event, ordinal)
    record["ranks"], record["header"]["match"] = [seat.rank for seat in seats], name
    record["header"]["seats"] = [
        [bot, identity, own]
        for (_, _, own), (bot, identity) in zip(
            record["header"]["seats"], what.seated(match.bots), strict=True
        )
    ]
    return replace(
        pattern,
        event=event,
        id=name,
        seats=tuple(seats),
        record=canonical(record).decode(),
        **place,
    )


def cpu(words: list[str]) -> float:
    """CPU seconds of a command, user and system."""
    before = os.times()
    subprocess.run([*ARENA, *words], check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    return (
        after.children_user + after.children_system - before.children_user - before.children_system
    )


def main(repeats: int, number: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        small, folder = Path(name, "small"), Path(name, "grown")
        played(small)
        matches = grown(small, folder, number)
        found = {
            "all": sorted(cpu(["standings", str(folder)]) for _ in range(repeats)),
            "few": sorted(cpu(["standings", str(small)]) for _ in range(repeats)),
        }
        value, start = (found[key][repeats // 2] for key in ("all", "few"))
        size = round((folder / "arena.db").stat().st_size / 1e6, 1)
        beside = {
            "aim": AIM,
            "best": round(found["all"][0], 3),
            "of_9_matches": round(start, 3),
            "store_mb": size,
        }
        per_match = round((value - start) / matches * 1e6, 1)
        line = {"name": f"standings_{matches}_matches", "value": round(value, 3), "unit": "CPU s"}
        print(
            json.dumps({**line, **beside, "us_per_match": per_match, "repeats": repeats}),
            flush=True,
        )


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    main(*given, *(5, SEEDS)[len(given) :])
