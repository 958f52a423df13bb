"""The ladder of a game's bots: each of them plays copies of a weaker one, and one scale
follows from all these steps.

``python -m tests.tools strength --game khiva --seats 3`` takes one to two hours of a
core, or more; typed again, it goes on. ``--write`` puts the figures into
``khiva_arena/common/strength.json``, from which pages, ``AGENTS.md`` and ``new`` take
them. A step of that file stays if it has more deals than the one that was played.
``--bots`` plays the steps of some bots only, and ``--write --seeds 0`` plays nothing
and works the scale out again.
"""

import argparse
import json
import sqlite3
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from khiva_arena.common.strength import ANCHOR, FILE, BotLadder, BotRung, BotStep, Twice, ladder_of  # noqa: E402 - the checkout's own

DATA = ROOT / "khiva_arena" / "common" / FILE
BOTS = {
    "khiva": {
        "random": "c/random",
        "naive": "python/naive",
        "greedy": "c/greedy",
        "search": "c/search",
        "trained": "python/trained",
        "thinker": "c/thinker",
        "search_deep": "python/search_deep",
        "strong": "c/strong_khiva",
    },
    "emira": {
        "random": "c/random",
        "greedy": "python/greedy_emira",
        "search": "python/search_emira",
        "strong": "c/strong_emira",
    },
    "silk_road": {
        "random": "c/random",
        "greedy": "python/greedy_silk_road",
        "search": "python/search_silk_road",
        "strong": "c/strong_silk_road",
    },
}
"""The bots of a game by the names of their rungs. In C where a language does not
matter: such a bot starts in a millisecond.
"""
STEPS = {
    "khiva": (
        ("naive", "random"),
        ("greedy", "naive"),
        ("search", "greedy"),
        ("trained", "greedy"),
        ("thinker", "greedy"),
        ("search_deep", "search"),
        ("strong", "search_deep"),
    ),
    "emira": (("greedy", "random"), ("search", "greedy"), ("strong", "search")),
    "silk_road": (("greedy", "random"), ("search", "greedy"), ("strong", "search")),
}
"""The steps of a game: a bot, and the bot whose copies it plays. Bots that play at most
matches one way tell little.
"""


GREEDY = "shipped:python/greedy"
CLOCKED = {"thinker"}
"""The rungs of bots that think for a share of the turn."""
AUTHORS = {
    "new": ("new", "python", "my-bot"),
    "check": ("check", "my-bot", "--quick"),
    "match": ("match", "--bot", "my-bot", "--bot", GREEDY, "--trust-bots"),
    "run": (
        "run",
        "--bot",
        "my-bot",
        "--bot",
        GREEDY,
        "--seats",
        "2",
        "--seeds",
        "1",
        "--out",
        "games",
        "--trust-bots",
    ),
    "replay": ("replay", "games", "1/0", "--bot", GREEDY),
}
"""The commands of an author, in their order; each needs those before it."""
SHOWN_SECONDS = ("new", "check", "match", "replay")


class Lever(NamedTuple):
    """A bot whose effort is a number in its sources.

    bot: as it comes.
    file: of its folder.
    less, more: the text there with little effort, and with much; one of them is in the
        file as it comes.
    doublings: how often the effort doubles from one to the other.
    words: that in words.
    """

    bot: str
    file: str
    less: str
    more: str
    doublings: int
    words: str


LEVERS = {
    "khiva": Lever(
        "c/thinker",
        "bot.c",
        "#define PLAYOUTS 3000",
        "#define PLAYOUTS 24000",
        3,
        "3,000 to 24,000 playouts",
    ),
    "emira": Lever(
        "c/strong_emira",
        "emira_weights.h",
        "worlds[EMIRA_SEATS - 2] = {150, 112, 90}, bids[EMIRA_SEATS - 2] = {30, 25, 22}",
        "worlds[EMIRA_SEATS - 2] = {600, 450, 360}, bids[EMIRA_SEATS - 2] = {120, 100, 90}",
        2,
        "a quarter of its tries to all of them",
    ),
    "silk_road": Lever(
        "c/strong_silk_road",
        "silk_road_search.h",
        "SILK_ROAD_IMAGINED = 8,",
        "SILK_ROAD_IMAGINED = 32,",
        2,
        "8 to 32 worlds",
    ),
}
AS_IT_COMES = {"khiva": "#define PLAYOUTS 0"}
"""The text in the file, where it is neither that of ``less`` nor that of ``more``."""


def run_words(options: argparse.Namespace, above: str, below: str, out: str) -> list[str]:
    """Return the words of a run in which one bot plays copies of another; both as
    ``--bot`` takes them. Turns are long, so that a busy machine makes nobody late, but
    for bots that would think for longer: those leave most of a turn of 1 s.
    """
    thinks = {word_of(options, rung) for rung in CLOCKED} & {above, below}
    how = [
        "--trust-bots",
        "--game",
        options.game,
        "--format",
        "gauntlet",
        "--copies",
        str(options.seats - 1),
    ]
    how += ["--seats", str(options.seats), "--seeds", str(options.seeds), "--seed", "strength"]
    how += ["--turn", "1s" if thinks else "1m", "--start", "1m"]
    return ["run", *how, "--bot", above, "--bot", below, "--out", out, "--json"]


def steps_of(options: argparse.Namespace) -> list[tuple[str, str]]:
    """Return the steps that are played, as pairs of rungs: a bot, and the one below
    it.
    """
    if options.rungs:
        return [(above, below) for below, above in pairwise(options.rungs)]
    return [step for step in STEPS[options.game] if not options.bots or step[0] in options.bots]


def play(words: Sequence[str]) -> dict[str, Any]:
    """Play an event and return its table. Raises CalledProcessError if it failed."""
    done = subprocess.run(
        [sys.executable, "-m", "khiva_arena", *words], stdout=subprocess.PIPE, check=True
    )
    table: dict[str, Any] = json.loads(done.stdout)["standings"][0]
    return table


def difference(table: Mapping[str, Any], first: str) -> tuple[float | None, float | None]:
    """Return how far the bot of identity ``first`` is above the other one of an event,
    and its 95 %; None if all matches went one way.
    """
    rows = {row["bot"] == first: row for row in table["rows"]}
    errors = [row["error"] for row in rows.values() if row["bot"] != table["anchor"]]
    if (
        len(rows) != 2
        or None in (*errors, rows[True]["elo"], rows[False]["elo"])
        or any(row["bound"] for row in rows.values())
    ):
        return None, None
    return round(rows[True]["elo"] - rows[False]["elo"], 1), round(errors[0], 1)


def least(table: Mapping[str, Any], first: str) -> float | None:
    """Return how far the bot of identity ``first`` is at least above the other one of
    an event if all matches went its way.
    """
    anchor_is_first = table["anchor"] == first
    other = next(row for row in table["rows"] if row["bot"] != table["anchor"])
    end = other["high"] if anchor_is_first else other["low"]
    if other["bound"] != ("<=" if anchor_is_first else ">=") or end is None:
        return None
    return round(-end if anchor_is_first else end, 1)


def identity(out: str, event: str) -> str:
    """Return the identity of the first bot of an event."""
    with sqlite3.connect(f"file:{out}/arena.db?mode=ro", uri=True) as store:
        return str(
            store.execute(
                "SELECT identity FROM bots WHERE event = ? AND position = 0", (event,)
            ).fetchone()[0]
        )


def processor_ms(out: str, event: str, position: int) -> float | None:
    """Return the processor time of a bot of an event over its decisions, its start
    included.
    """
    with sqlite3.connect(f"file:{out}/arena.db?mode=ro", uri=True) as store:
        query = "SELECT sum(cpu), sum(decisions) FROM seats WHERE event = ? AND bot = ?"
        cpu, decisions = store.execute(query, (event, position)).fetchone()
    return float(f"{1000 * cpu / decisions:.2g}") if decisions else None


def month() -> str:
    """Return the year and month."""
    return datetime.now(UTC).strftime("%Y-%m")


def measure(options: argparse.Namespace, out: str) -> tuple[list[BotStep], dict[str, float | None]]:
    """Play the steps. Return them, and the milliseconds of a decision by rung."""
    steps, times = [], {}
    for bot, over in steps_of(options):
        table = play(run_words(options, word_of(options, bot), word_of(options, over), out))
        first = identity(out, table["events"][0])
        steps.append(
            BotStep(
                bot, over, *difference(table, first), options.seeds, month(), least(table, first)
            )
        )
        print(
            f"{bot} over {over}: {steps[-1].elo} +/- {steps[-1].error}, at least {steps[-1].least}",
            file=sys.stderr,
        )
        for position, rung in enumerate((bot, over)):
            times[rung] = processor_ms(out, table["events"][0], position)
    return steps, times


def word_of(options: argparse.Namespace, rung: str) -> str:
    """Return the word of ``--bot`` for a rung, or for a bot such as c/search."""
    return f"shipped:{BOTS[options.game].get(rung, rung)}"


def measure_twice(options: argparse.Namespace, out: str) -> Twice:
    """Play a bot with much effort against copies of it with little, and return what one
    doubling is worth.
    """
    lever = LEVERS[options.game]
    folders = [copy_with(options.game, text, f"{out}-bots") for text in (lever.more, lever.less)]
    table = play(run_words(options, *folders, out))
    elo, error = difference(table, identity(out, table["events"][0]))
    some = [None if value is None else round(value / lever.doublings, 1) for value in (elo, error)]
    return Twice(lever.bot, lever.words, some[0], some[1], options.seeds, month())


def copy_with(game: str, text: str, place: str) -> str:
    """Make a copy of the bot of a lever with such a text in its file, unless it is
    there; return its folder.
    """
    lever = LEVERS[game]
    folder = Path(place, f"{game}-{'more' if text == lever.more else 'less'}")
    if not folder.exists():
        words = ["new", f"shipped:{lever.bot}", str(folder)]
        subprocess.run(
            [sys.executable, "-m", "khiva_arena", *words], stdout=subprocess.DEVNULL, check=True
        )
        (folder / lever.file).write_text(
            changed((folder / lever.file).read_text("utf-8"), game, text), encoding="utf-8"
        )
    return str(folder)


def changed(source: str, game: str, text: str) -> str:
    """Return a source with the effort ``text``. Raises LookupError if it does not hold
    the effort as it comes.
    """
    before = AS_IT_COMES.get(game, LEVERS[game].more)
    if source.count(before) != 1:
        raise LookupError(
            f"{LEVERS[game].file} of {LEVERS[game].bot} does not have {before!r} once"
        )
    return source.replace(before, text)


# --- the scale ---


def scale(steps: Sequence[BotStep]) -> dict[str, tuple[float, float]]:
    """Return Elo and its 95 % by rung, for all that steps join to the anchor: the sums
    that fit the steps best, each weighed by its error. Steps that went one way count
    nothing.
    """
    known = [step for step in steps if step.elo is not None and step.error]
    names = [ANCHOR]
    while more := [step for step in known if (step.bot in names) != (step.over in names)]:
        names.append(next(name for name in (more[0].bot, more[0].over) if name not in names))
    known = [step for step in known if step.bot in names]
    if not known:
        return {ANCHOR: (0.0, 0.0)}
    design = np.zeros((len(known), len(names)))
    for row, step in zip(design, known, strict=True):
        row[names.index(step.bot)], row[names.index(step.over)] = 1.0, -1.0
    weights = np.array([1.0 / (step.error or 1.0) ** 2 for step in known])
    free = design[:, 1:]  # the anchor is at 0
    covariance = np.linalg.inv(free.T @ (weights[:, None] * free))
    elos = covariance @ free.T @ (weights * np.array([step.elo for step in known]))
    found = zip(names[1:], elos.tolist(), np.sqrt(np.diag(covariance)).tolist(), strict=True)
    return {ANCHOR: (0.0, 0.0)} | {
        name: (round(elo, 1), round(error, 1)) for name, elo, error in found
    }


def merged(old: Sequence[BotStep], new: Sequence[BotStep], game: str) -> list[BotStep]:
    """Return the steps of a ladder in their order: of two of the same bots the one with
    more deals, the new one if equal.
    """
    best = {(step.bot, step.over): step for step in old}
    for step in new:
        pair = step.bot, step.over
        if pair in best and best[pair].deals > step.deals:
            print(f"kept: {step.bot} over {step.over}, {best[pair].deals} deals", file=sys.stderr)
            continue
        best[pair] = step
    order = list(STEPS[game])
    return sorted(best.values(), key=lambda step: order.index((step.bot, step.over)))


def rungs(game: str, steps: Sequence[BotStep], times: Mapping[str, float | None]) -> list[BotRung]:
    """Return the rungs of a ladder, the weakest first, those without a place on the
    scale last.
    """
    places, names = scale(steps), BOTS[game]
    some = [
        BotRung(
            name,
            bot,
            *places.get(name, (None, None)),
            times.get(name),
            "" if name in places else bound(name, steps, places),
        )
        for name, bot in names.items()
    ]
    order = list(names)
    return sorted(
        some, key=lambda rung: (rung.elo is None, rung.elo or 0.0, order.index(rung.name))
    )


def bound(name: str, steps: Sequence[BotStep], places: Mapping[str, tuple[float, float]]) -> str:
    """Return a bound of a rung that only a step which went one way joins to the scale,
    "" if none does.
    """
    for step in steps:
        if step.least is not None and step.over == name and step.bot in places:
            return f"below {places[step.bot][0] - step.least:.0f}"
        if step.least is not None and step.bot == name and step.over in places:
            return f"above {places[step.over][0] + step.least:.0f}"
    return ""


class Data(NamedTuple):
    """What the file holds.

    ladders: by game, and by number of seats as text.
    seconds: how long the commands of an author last, by command.
    in_vain: sentences by game, which people write.
    """

    ladders: dict[str, dict[str, BotLadder]]
    seconds: dict[str, float]
    in_vain: dict[str, list[str]]


def text_of(data: Data) -> str:
    """Return the file: a line for each step and rung, so that a diff shows what
    changed.
    """
    games = []
    for game, by_seats in data.ladders.items():
        tables = [
            f'   "{seats}": {{\n{_table(by_seats[seats])}\n   }}' for seats in sorted(by_seats)
        ]
        games.append(f'  "{game}": {{\n' + ",\n".join(tables) + "\n  }")
    vain = [f'  "{game}": ' + _rows(lines, "   ") for game, lines in data.in_vain.items()]
    parts = [
        f' "seconds": {json.dumps(data.seconds)}',
        ' "in_vain": {\n' + ",\n".join(vain) + "\n }",
    ]
    return "{\n" + ",\n".join([*parts, ' "ladders": {\n' + ",\n".join(games) + "\n }"]) + "\n}\n"


def _table(ladder: BotLadder) -> str:
    some = (("steps", ladder.steps), ("rungs", ladder.rungs))
    parts = [
        f'    "{key}": {_rows([row._asdict() for row in rows], "     ")}' for key, rows in some
    ]
    twice = json.dumps(ladder.twice._asdict(), ensure_ascii=False) if ladder.twice else "null"
    return ",\n".join([*parts, f'    "twice": {twice}'])


def _rows(some: Sequence[Any], lead: str) -> str:
    return (
        "[\n"
        + ",\n".join(lead + json.dumps(row, ensure_ascii=False) for row in some)
        + f"\n{lead[1:]}]"
    )


def read() -> Data:
    """Return what the file holds."""
    raw = json.loads(DATA.read_text("utf-8"))
    games = raw["ladders"].items()
    ladders = {
        game: {seats: ladder_of(row) for seats, row in by_seats.items()} for game, by_seats in games
    }
    return Data(ladders, raw["seconds"], raw["in_vain"])


def measure_seconds() -> dict[str, float]:
    """Return how many seconds each command of an author lasts, for a new bot in Python,
    rounded up to a half.
    """
    with tempfile.TemporaryDirectory() as place:
        lasts = {name: _seconds(words, place) for name, words in AUTHORS.items()}
    return {name: ceil(2 * value) / 2 for name, value in lasts.items() if name in SHOWN_SECONDS}


def _seconds(words: Sequence[str], place: str) -> float:
    """Return how long a command lasts. ``replay`` ends with exit code 1 where choices
    differ.
    """
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "khiva_arena", *words], cwd=place, capture_output=True, check=False
    )
    if done.returncode not in (0, 1):
        raise subprocess.CalledProcessError(done.returncode, list(words), stderr=done.stderr)
    return time.monotonic() - began


def write(
    options: argparse.Namespace,
    steps: Sequence[BotStep],
    times: Mapping[str, float | None],
    twice: Twice | None,
) -> None:
    """Put what was measured into the file, and work out its scale again."""
    data, seats = read(), str(options.seats)
    ladders = data.ladders.setdefault(options.game, {})
    old = ladders.get(seats, BotLadder((), (), None))
    kept = merged(old.steps, steps, options.game)
    ms = {rung.name: rung.ms for rung in old.rungs} | {
        name: value
        for name, value in times.items()
        if any(name in (step.bot, step.over) and step in kept for step in steps)
    }
    if twice and old.twice and old.twice.deals > twice.deals:
        twice = None
    ladders[seats] = BotLadder(
        tuple(kept), tuple(rungs(options.game, kept, ms)), twice or old.twice
    )
    DATA.write_text(text_of(data), encoding="utf-8")


def anchor(rung: str) -> str:
    """Return the name of the bot at Elo 0."""
    return str(tomllib.loads((ROOT / "bots" / rung / "bot.toml").read_text("utf-8"))["name"])


def main() -> int:
    """Play the events, print the table of all of them or write the file, and return the
    exit code.
    """
    parser = argparse.ArgumentParser(
        prog="strength", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--game", choices=BOTS, default="silk_road", help="default: silk_road")
    parser.add_argument("--seats", type=int, default=3, help="default: 3")
    parser.add_argument(
        "--seeds", type=int, default=400, help="deals of each step, 400 unless you say so"
    )
    parser.add_argument(
        "--rungs",
        nargs="+",
        metavar="BOT",
        help="bots as c/search, from the weakest, instead of the game's steps",
    )
    parser.add_argument(
        "--bots",
        nargs="+",
        metavar="NAME",
        help="only the steps of these rungs over the ones below them",
    )
    parser.add_argument("--twice", action="store_true", help="only what twice the time is worth")
    parser.add_argument(
        "--seconds",
        action="store_true",
        help="only how long the commands of an author last; writes them",
    )
    parser.add_argument(
        "--write", action="store_true", help=f"write the figures into {DATA.relative_to(ROOT)}"
    )
    parser.add_argument("--out", help="the store; default: results/strength/GAME-SEATS")
    options = parser.parse_args()
    out = options.out or f"results/strength/{options.game}-{options.seats}"
    if options.rungs and options.write:
        parser.error("--write takes the steps of the game: leave --rungs out")
    if options.seconds:
        DATA.write_text(text_of(read()._replace(seconds=measure_seconds())), encoding="utf-8")
        return 0
    try:
        steps, times = measure(options, out) if options.seeds and not options.twice else ([], {})
        twice = (
            measure_twice(options, out)
            if options.seeds and (options.twice or not (options.bots or options.rungs))
            else None
        )
    except subprocess.CalledProcessError as error:
        return int(error.returncode)
    if options.write:
        write(options, steps, times, twice)
        return 0
    low = (options.rungs or ["greedy"])[0]
    table = ["standings", out, "--anchor", anchor(BOTS[options.game].get(low, low))]
    return subprocess.run([sys.executable, "-m", "khiva_arena", *table], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
