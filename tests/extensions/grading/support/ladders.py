"""Ladders of quick bots, sealed in a moment, and secrets of deals."""

import shutil
from pathlib import Path

from module_cup import vectors
from quick_bots import NAIVE, RANDOM

from khiva_arena.extensions.grading.seal import write_seal

BOTS = {"first": NAIVE, "lots": RANDOM}
"""The bot of each rung."""
SETTINGS = (
    'game = "khiva"\nseats = {seats}\nseeds = {seeds}\nrules = {{max_turns = 2}}\nponder = false\n'
)
RUNG = (
    '[[rung]]\nname = "{name}"\nbot = "rungs/{name}"\npoints = {points}\nthreshold = {threshold}\n'
)


def ladder(
    place: Path, *, seeds: int = 3, seats: int = 2, threshold: float = 0, more: str = ""
) -> Path:
    """Make a ladder of two rungs with 10 and 20 points. ``more``: settings of its
    own.
    """
    place.mkdir()
    for name, bot in BOTS.items():
        shutil.copytree(bot, place / "rungs" / name)
    points = dict(zip(BOTS, (10, 20), strict=True))
    rungs = [RUNG.format(name=name, points=points[name], threshold=threshold) for name in BOTS]
    (place / "ladder.toml").write_text(
        SETTINGS.format(seeds=seeds, seats=seats) + more + "".join(rungs)
    )
    write_seal(place)
    return place


def secret(place: Path, text: str = "a secret of sixteen bytes or more") -> Path:
    """Write a secret of deals that only this user may read."""
    place.write_text(text)
    place.chmod(0o600)
    return place


def bot(place: Path, program: str, *lines: str) -> Path:
    """Make a bot in Python without a kit. ``lines``: of its bot.toml, beside its name
    and run.
    """
    place.mkdir()
    (place / "bot.toml").write_text(
        "\n".join(['name = "mine"', 'run = "{python} -I -S main.py"', *lines, ""])
    )
    (place / "main.py").write_text(program)
    return place


def ladder_of_modules(folder: Path) -> None:
    """Make a ladder in ticks, "course", and a bot for it, "mine": modules that need no
    compiler, equal but for a section.
    """
    ladder(folder / "course", more='clock = "ticks"\n')
    (honest,) = vectors({"honest": "honest"}).values()
    places = [folder / "mine", *(folder / "course" / "rungs" / name for name in BOTS)]
    for number, place in enumerate(places):
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        (place / "bot.toml").write_text(f'name = "{place.name}"\nmodule = "bot.wasm"\n')
        (place / "bot.wasm").write_bytes(honest + b"\0\2\1" + bytes([ord("a") + number]))
    write_seal(folder / "course")
