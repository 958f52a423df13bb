"""Matches of a bot that is written in the page, in Chromium and Firefox: events and run
digests beside those of the command.

It fails where one of them is another one. The command plays what the page would save.
Seconds are the CPU of the browser from a request until the last match, and of the start
in a row of its own; memory is that of all its processes at the end.
"""

import argparse
import io
import os
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[3]
sys.path.extend(map(str, (ROOT / "tests").glob("**/support")))

from bundle_soak import OPENED, used  # noqa: E402
from checker import checker  # noqa: E402
from page_worker import PageWorker  # noqa: E402
from workbench_played import Commanded, commanded, template, told  # noqa: E402

PLAYS = (
    ("khiva", 2, 100),
    ("khiva", 3, 100),
    ("emira", 3, 20),
    ("silk_road", 2, 20),
    ("silk_road", 3, 20),
)
"""The game of each play, its seats, and how many matches are asked for."""
HEADS = (
    "browser",
    "game",
    "seats",
    "matches",
    "event",
    "run digest",
    "CPU",
    "memory",
    "the command's",
)
WIDTHS = (9, 10, 5, 7, 16, 12, 8, 8, 13)


class InPage(NamedTuple):
    """What a browser told of a play: the id of its event, its run digest, how many
    matches it had, and what it took.
    """

    event: str
    digest: str
    matches: int
    cpu: float
    memory: int


def by_command(folder: Path, wish: dict[str, Any]) -> Commanded:
    """Unzip what the page saves of a play into a folder, and type its line there."""
    (saved, data) = told(folder / "page", {"do": "save", **wish})[-1]
    with zipfile.ZipFile(io.BytesIO(data or b"")) as archive:
        archive.extractall(folder)
    (top,) = {name.partition("/")[0] for name in archive.namelist()}
    return commanded(folder / top, saved["line"])


def in_page(worker: PageWorker, wish: dict[str, Any]) -> InPage:
    """Play in a browser, and return what it told."""
    before = used()
    worker.post({"do": "play", **wish})
    events = worker.told("over")
    after = used()
    return InPage(
        events[0]["id"],
        events[-1]["digest"],
        events[0]["matches"],
        after.cpu - before.cpu,
        after.memory,
    )


def row(cells: Sequence[str]) -> None:
    """Print a row of the table at once."""
    print(*(cell.ljust(width) for cell, width in zip(cells, WIDTHS, strict=True)), flush=True)


def main(language: str, opponent: str, rerun: bool, *browsers: str) -> int:
    """Play in each browser, print a table, and return the exit code."""
    wishes, wanted = [], []
    for game, seats, matches in PLAYS:
        wish = {
            "game": game,
            "seats": seats,
            "matches": matches,
            "seed": "soak",
            "opponent": opponent,
        }
        wishes.append(wish | {"files": template(language)})
        with tempfile.TemporaryDirectory() as folder:
            wanted.append(by_command(Path(folder), wishes[-1]))
    wrong = 0
    row(HEADS)
    with tempfile.TemporaryDirectory() as folder:
        (page := Path(folder, "khiva-arena.html")).write_text(checker())
        for name in browsers:
            with OPENED[name]() as opened:
                worker = PageWorker(opened, page)
                before = used()
                worker.start(language, rerun=rerun)
                row(
                    (
                        name,
                        "start",
                        *[""] * 4,
                        f"{used().cpu - before.cpu:.1f} s",
                        f"{used().memory >> 20} MB",
                        "",
                    )
                )
                for wish, by in zip(wishes, wanted, strict=True):
                    found = in_page(worker, wish)
                    is_equal = found[:2] == by[:2]
                    wrong += not is_equal
                    told_of = (
                        name,
                        wish["game"],
                        str(wish["seats"]),
                        str(found.matches),
                        found.event,
                        found.digest[:12],
                    )
                    row(
                        (
                            *told_of,
                            f"{found.cpu:.1f} s",
                            f"{found.memory >> 20} MB",
                            "equal" if is_equal else f"NOT: {by[:2]}",
                        )
                    )
    return 1 if wrong else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--language",
        default="python",
        help="of the new bot that plays: python, unless you say javascript",
    )
    parser.add_argument(
        "--opponent", default="greedy", help="weak, greedy or strong; greedy unless you say so"
    )
    parser.add_argument(
        "--rerun",
        action="store_true",
        help="as without JSPI: run each module again at each question",
    )
    parser.add_argument("--browser", action="append", choices=OPENED, help="only this one")
    options = parser.parse_args()
    os.nice(10)
    sys.exit(main(options.language, options.opponent, options.rerun, *(options.browser or OPENED)))
