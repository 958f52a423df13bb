"""Writes the lists of docs/openspiel.md: every game of the library is tried with its
default parameters.

A game that can be played is played at random through the arena to the end, as
`khiva-arena match` does, which replays the record through the rules for the text that
it prints. What is in the page stays equal as long as library, arena and rules do.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from khiva_arena.errors import ConfigError
from khiva_arena.extensions.own_games.opening import open_game
from khiva_arena.games.base import Game

PAGE = Path(__file__).parents[4] / "docs" / "openspiel.md"
BOT = "shipped:python/random"
SLOWLY = ["--turn", "60s", "--start", "60s", "--isolation", "trusted", "--seed", "a page"]


class Tried(NamedTuple):
    """What came of a game.

    line: of a table of the page.
    plays: whether it was played to the end and replayed.
    reason: why not, in short.
    seats: that it has with its default parameters; 0 if it does not play.
    """

    line: str
    plays: bool
    reason: str = ""
    seats: int = 0


def names() -> list[str]:
    """Of all games of the library, asked of it in another process, as always."""
    code = "import pyspiel, json; print(json.dumps(pyspiel.registered_names()))"
    return list(
        json.loads(
            subprocess.run(
                [sys.executable, "-c", code], capture_output=True, text=True, check=True
            ).stdout
        )
    )


def described(game: Game, name: str) -> Tried:
    """One, as its line stands in the page if it does not fail while it is played."""
    try:
        rules = game.rules({"game": name})
    except ConfigError as error:
        reason = str(error).removeprefix("game: ").removeprefix(f"{name} cannot be played: ")
        reason = reason.replace(
            f"OpenSpiel does not load {name!r}", "does not load with default parameters"
        )
        return Tried(f"| `{name}` | {reason} |", False, reason.partition(":")[0].partition(",")[0])
    (seats,) = game.seats_of(rules)
    shows, scale = (
        rules["shows"].replace("_", " "),
        f" x {rules['scale']}" if rules["scale"] > 1 else "",
    )
    return Tried(f"| `{name}` | {seats} | {shows} | returns{scale} |", True, seats=seats)


def tried(game: Game, name: str) -> Tried:
    """Try one: play it if it can be played."""
    one = described(game, name)
    if not one.plays:
        return one
    words = [
        "match",
        "--game",
        "openspiel",
        "--rule",
        f"game={name}",
        *["--bot", BOT] * one.seats,
        *SLOWLY,
    ]
    done = subprocess.run(
        [sys.executable, "-m", "khiva_arena", *words], capture_output=True, text=True, check=False
    )
    if done.returncode or "the match is over" not in done.stdout:
        reason = done.stderr.strip().rpartition("\n")[2].removeprefix("khiva-arena: error: ")
        return Tried(f"| `{name}` | {reason} |", False, "fails while it is played")
    return one


def version_of(game: Game) -> str:
    """Of the library."""
    return game.rules_version.rpartition("-")[2]


def parts(found: list[Tried], version: str) -> dict[str, str]:
    """Return each generated part of the page by the name in its marks."""
    plays = [one.line for one in found if one.plays]
    others = [one for one in found if not one.plays]
    reasons = sorted(
        {one.reason for one in others},
        key=lambda reason: (-sum(one.reason == reason for one in others), reason),
    )
    intro = [
        (
            f"OpenSpiel {version} has {len(found)} games. Each was tried with its default "
            f"parameters: {len(plays)} were played at"
        ),
        (
            "random through the arena to the end and replayed from their records, and "
            f"{len(others)} cannot be played."
        ),
        "`python -m tests.tools openspiel-page` tries them again and writes this list.",
        "",
        "| game | seats by default | a seat is shown | points are |",
        "|---|---:|---|---|",
        *plays,
    ]
    refused = [
        "| reason | games |",
        "|---|---:|",
        *(f"| {reason} | {sum(one.reason == reason for one in others)} |" for reason in reasons),
        "",
        "| game | reason |",
        "|---|---|",
        *(one.line for one in others),
    ]
    return {"games": "\n".join(intro), "other games": "\n".join(refused)}


def current(text: str, found: list[Tried], version: str) -> str:
    """Return the page with its generated parts as they should be. Raises ValueError if
    it lacks the marks of one.
    """
    for name, part in parts(found, version).items():
        begin, end = f"<!-- generated: {name} -->", f"<!-- end of {name} -->"
        start, stop = text.index(begin) + len(begin), text.index(end)
        text = f"{text[:start]}\n\n{part}\n\n{text[stop:]}"
    return text


def main() -> None:
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    game = open_game("openspiel")
    found = []
    for name in names():
        found.append(tried(game, name))
        print(found[-1].line, flush=True)
    PAGE.write_text(current(PAGE.read_text(), found, version_of(game)))


if __name__ == "__main__":
    main()
