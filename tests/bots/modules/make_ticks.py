"""Makes protocol/vectors/ticks.json, whole matches of modules with each frame, answer
and tick: ``make vectors``.

The matches are played as any match in ticks is: by the arbiter, with the arena's meter
and runner in their cell.
"""

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "support")]

import tick_bots  # noqa: E402 - found beside this folder
from golden import VECTORS, entries, orders_of, settle, short  # noqa: E402
from module_matches import SECRET, job, staged  # noqa: E402
from msgspec.structs import replace  # noqa: E402
from second_vm import Part, overheard  # noqa: E402
from tick_bots import bot, works  # noqa: E402

from khiva_arena.arbiter.match import Job  # noqa: E402
from khiva_arena.bots.modules.meter import prices  # noqa: E402
from khiva_arena.bots.sandbox.command import Command  # noqa: E402
from khiva_arena.common.result import Clock  # noqa: E402
from khiva_arena.games.registry import get  # noqa: E402
from khiva_arena.records.replay import seeds  # noqa: E402
from khiva_arena.records.replay.record import Record, RecordedSeat  # noqa: E402

VECTOR_FILE = VECTORS / "ticks.json"
TIME = {"startup_ms": 2, "turn_ms": 1, "bank_ms": 2}
BEYOND_A_TURN = works(3_600_000)
"""Work of 18 million ticks, where a turn has 10 and the bank 20."""
BOTS: Mapping[str, bytes] = {
    "honest": bot(),
    "uses its bank": bot({2: BEYOND_A_TURN, 4: BEYOND_A_TURN}),
    "uses more than its bank": bot(dict.fromkeys((1, 2, 3), BEYOND_A_TURN)),
    "late": bot({3: tick_bots.WORKS_FOR_EVER}),
    "illegal once": bot({2: tick_bots.CHOOSES_WRONGLY}),
    "illegal three times": bot(dict.fromkeys((1, 2, 4), tick_bots.CHOOSES_WRONGLY)),
    "traps": bot({2: tick_bots.TRAPS}),
    "exits": bot({2: tick_bots.EXITS}),
    "recurses": bot({1: tick_bots.RECURSES}),
    "prints": bot({2: tick_bots.PRINTS}),
    "floods": bot({1: tick_bots.FLOODS}),
    "traps at its start": bot(at_the_start=tick_bots.TRAPS),
    "late at its start": bot(at_the_start=tick_bots.WORKS_FOR_EVER),
    "traps at its end": bot(at_the_end=tick_bots.TRAPS),
}
HASHES = {name: sha256(module).hexdigest() for name, module in BOTS.items()}


class Match(NamedTuple):
    """A match before it is played.

    game, policy: their words.
    rules: those of the map that are not the default.
    bots: by seat.
    suffix: what stands behind the name.
    """

    game: str
    policy: str
    rules: Mapping[str, Any]
    bots: tuple[str, ...]
    suffix: str = ""


_khiva = partial(Match, "khiva")
_emira = partial(Match, "emira")
_silk_road = partial(Match, "silk_road")
FULL = {
    "khiva": ("honest", "uses its bank"),
    "emira": ("honest", "uses its bank", "honest"),
    "silk_road": ("honest", "uses its bank"),
}
"""The bots of the matches that no rule cuts short, at the fewest seats of each game."""
MATCHES = (
    _khiva("lenient", {"max_turns": 3}, ("honest", "uses its bank")),
    _khiva("strict", {"max_turns": 3}, ("illegal once", "honest", "late")),
    _khiva("lenient", {"max_turns": 3}, ("late", "honest", "illegal three times", "traps")),
    _khiva(
        "lenient", {"max_turns": 3}, ("honest", "recurses", "prints", "floods", "traps at its end")
    ),
    _emira("lenient", {"max_rounds": 1}, ("uses more than its bank", "honest", "illegal once")),
    _emira("strict", {"max_rounds": 1}, ("honest", "traps", "exits", "late")),
    _emira(
        "lenient",
        {"max_rounds": 1},
        ("traps at its start", "honest", "illegal three times", "late at its start", "prints"),
    ),
    _silk_road("lenient", {"max_turns": 3}, ("illegal once", "uses its bank")),
    _silk_road("strict", {"max_turns": 3}, ("honest", "exits", "late")),
    _silk_road(
        "strict", {"max_turns": 4}, ("floods", "honest", "uses more than its bank", "recurses")
    ),
    _silk_road(
        "lenient",
        {"max_turns": 2},
        ("honest", "traps at its start", "illegal once", "exits", "recurses"),
    ),
    *(Match(game, "lenient", {}, bots, "-full") for game, bots in FULL.items()),
)


def name_of(match: Match) -> str:
    """Return the name of a match, which is its id in its messages."""
    return f"ticks-{match.game}-{len(match.bots)}{match.suffix}"


def job_of(ordinal: int, match: Match, commands: Mapping[str, Command]) -> Job:
    """Return the job of a match. ``commands``: of the bots, by their names."""
    name = name_of(match)
    of = job(
        [commands[one] for one in match.bots],
        Clock.TICKS,
        ordinal=ordinal,
        game=match.game,
        policy=match.policy,
        **TIME,
    )
    numbers = [seeds.seat_number(SECRET, name, seat) for seat in range(len(match.bots))]
    seats = tuple(
        RecordedSeat(one, HASHES[one], number)
        for one, number in zip(match.bots, numbers, strict=True)
    )
    rules, commit = get(match.game).rules(match.rules), seeds.commitment(name, SECRET)
    return replace(
        of, header=replace(of.header, match=name, rules=rules, seats=seats, commit=commit)
    )


def played() -> list[tuple[Record, list[Part]]]:
    """Play all matches, and return the record and the seats' parts of each."""
    modules = {HASHES[name]: module for name, module in BOTS.items()}
    with tempfile.TemporaryDirectory() as folder:
        commands = {name: staged(Path(folder), name, module) for name, module in BOTS.items()}
        return [
            overheard(job_of(number, match, commands), modules)
            for number, match in enumerate(MATCHES)
        ]


def seat_rows(record: Record, parts: Sequence[Part]) -> list[dict[str, Any]]:
    """Return a row for each seat of a match."""
    return [
        {
            "name": f"{record.header.match} seat {number}",
            "match": record.header.match,
            "module": seat.name,
            "key": part.key.to_bytes(8, "big").hex(),
            "most_bytes": part.most_bytes,
            "orders": orders_of(part.orders, part.answers),
            "stderr": short(part.notes),
        }
        for number, (seat, part) in enumerate(zip(record.header.seats, parts, strict=True))
    ]


def files() -> dict[Path, str]:
    """Return the text of each file that is made."""
    matches = played()
    content = {
        "prices": prices.NUMBER,
        "seed_secret": SECRET.hex(),
        "modules": {name: module.hex() for name, module in BOTS.items()},
        "records": [json.loads(record.to_json()) for record, _ in matches],
        "seats": [row for match in matches for row in seat_rows(*match)],
    }
    return {VECTOR_FILE: entries(content)}


if __name__ == "__main__":
    sys.exit(settle(files()))
