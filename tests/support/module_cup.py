"""A bundle of an event in ticks, with its modules: the bots of
protocol/vectors/ticks.json, which need no compiler.
"""

import json
import random
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import forged_ticks
from arena import ROOT, SECONDS, arena, bots
from bundling import lines_of
from forged_ticks import Forge
from modules import answers_to
from once import made_once

from khiva_arena.bots.modules.runner.line import PAGE
from khiva_arena.competition.audit.replayed_match import SeatOrder, SeatResult
from khiva_arena.records.replay.record import Record, canonical, run_digest
from khiva_arena.records.replay.seeds import seed_secret

HOSTILE = "<img src=x onerror=ran=true>"
BOTS = {"honest": "honest", HOSTILE: "illegal three times", "late": "late", "recurses": "recurses"}
"""The modules by the names of the bots; one name is meant for whoever shows it."""
MATCHES = 12
OTHER_GAMES = ("emira", "silk_road")
Forgery = Callable[[list[dict[str, Any]], random.Random], str]
FORGES: dict[str, Forge] = {
    "choice": forged_ticks.choice,
    "start": forged_ticks.tick_of_a_start,
    "tick": forged_ticks.tick_of_a_question,
    "fault": forged_ticks.fault_added,
    "no fault": forged_ticks.fault_taken_away,
    "answers": forged_ticks.answers_swapped,
    "verdict": forged_ticks.verdict,
}
"""Changes of a record that the rules take: only the bots can tell."""


@made_once
def module_cup(folder: Path) -> None:
    """Play the event and write "cup.khiva"."""
    play_cup(folder)


@made_once
def other_cups(folder: Path) -> None:
    """Play a table of each other game, each in a folder of its name."""
    for game in OTHER_GAMES:
        (folder / game).mkdir()
        play_cup(folder / game, "--game", game, "--lineups", "1")


def play_cup(
    folder: Path, *more: str, modules: Mapping[str, bytes] | None = None, seconds: float = SECONDS
) -> None:
    """Play the event with more words for `khiva-arena run`, of other modules if they
    are given, and write "cup.khiva".
    """
    modules = modules or vectors(BOTS)
    for name, module in modules.items():
        (folder / f"{name}.wasm").write_bytes(module)
    words = (
        "--clock",
        "ticks",
        "--seats",
        "3",
        "--seeds",
        "1",
        "--turn",
        "10ms",
        "--bank",
        "0s",
        "--seed",
        "cup",
        *more,
    )
    arena(
        "run",
        *words,
        *bots(*(f"{name}.wasm" for name in modules)),
        "--out",
        "store",
        cwd=folder,
        seconds=seconds,
    )
    arena("bundle", "store", "cup.khiva", "--with-modules", cwd=folder)


def vectors(names: Mapping[str, str]) -> dict[str, bytes]:
    """Modules of protocol/vectors/ticks.json, by the names of bots."""
    modules = json.loads((ROOT / "protocol" / "vectors" / "ticks.json").read_text())["modules"]
    return {name: bytes.fromhex(modules[of]) for name, of in names.items()}


class OwnMachine:
    """The arena's own meter and runner in place of a page's. ``runs``: how many modules
    were run from their start.
    """

    def __init__(self) -> None:
        self.runs = 0
        self._files: dict[str, bytes] = {}

    def take(self, digest: str, data: bytes) -> None:
        self._files[digest] = data

    def run(
        self, module: str, payload: str, pages: int, key: bytes, orders: Sequence[SeatOrder]
    ) -> Sequence[SeatResult]:
        self.runs += 1
        plain = [(word, ticks, frame.hex()) for word, ticks, frame in orders]
        answers, _ = answers_to(
            plain, self._files[module], key, pages * PAGE, self._files.get(payload)
        )
        return [SeatResult(word, used, bytes.fromhex(answer)) for word, used, answer in answers]


def of_kind(events: Sequence[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    """The events of a check that are of a kind."""
    return [event for event in events if event["kind"] == kind]


def forged_record(lines: list[dict[str, Any]], forge: Forge, rng: random.Random) -> str:
    """Forge a match of a bundle's lines and all digests over it, and return its number
    in words.

    Raises LookupError if none has a place for it.
    """
    matches = of_kind(lines, "match")
    (run,) = (line["secret"] for line in of_kind(lines, "reveal") if line["seed"] == -1)
    secret = seed_secret(bytes.fromhex(run), 0)
    for line in rng.sample(matches, len(matches)):
        new = forge(Record.from_json(canonical(line["record"]).decode()), secret, rng)
        if new is not None and json.loads(new.to_json()) != line["record"]:
            line["record"] = json.loads(new.to_json())
            of_kind(lines, "over")[0]["digest"] = run_digest(
                one["record"]["digest"] for one in matches
            )
            return f"match 1/{line['ordinal']}"
    raise LookupError(f"no match has a place for {forge.__name__}")


def _other_module(lines: list[dict[str, Any]], rng: random.Random) -> str:
    module = rng.choice(of_kind(lines, "module"))
    data = bytearray(b64decode(module["data"]))
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    module["data"] = b64encode(data).decode()
    return "its modules"


def _other_deal(lines: list[dict[str, Any]], rng: random.Random) -> str:
    line = next(line for line in of_kind(lines, "reveal") if line["seed"] == 0)
    line["secret"] = rng.randbytes(32).hex()
    return "secret of seed 0"


def _other_count(lines: list[dict[str, Any]], rng: random.Random, name: str, *within: str) -> str:
    """Raise a number of the bundle's table: of a row, or of what stands there under
    other names.
    """
    place = rng.choice(
        [row for row in of_kind(lines, "standings")[0]["table"]["rows"] if row["matches"]]
    )
    for key in within:
        place = place[key]
    at: Any = (
        rng.randrange(len(place))
        if isinstance(place, list)
        else rng.choice([*place])
        if within
        else name
    )
    place[at] += rng.randint(1, 5)
    return name


FORGERIES: dict[str, Forgery] = {
    "module": _other_module,
    "deal": _other_deal,
    "points": lambda lines, rng: _other_count(lines, rng, "score"),
    "matches": lambda lines, rng: _other_count(lines, rng, "matches"),
    "places": lambda lines, rng: _other_count(lines, rng, "finishes", "finishes"),
    "faults": lambda lines, rng: _other_count(lines, rng, "faults", "faults"),
    **{
        name: lambda lines, rng, forge=forge: forged_record(lines, forge, rng)
        for name, forge in FORGES.items()
    },  # type: ignore[misc]
}
"""Changes of a bundle's lines, by name; each returns words that a check has to say of
it.
"""


def forged_lines(cup: Path, name: str, lot: int = 1) -> tuple[list[dict[str, Any]], str]:
    """The lines of a forged bundle, and what has to be said of it. ``lot``: what is
    changed, and how, follows from it.
    """
    lines = lines_of(cup)
    return lines, FORGERIES[name](lines, random.Random(lot))
