"""A new ladder: copies of bots that come with the arena, its settings, and its seal."""

import shlex
import shutil
import tomllib
from importlib.resources import files
from pathlib import Path

from khiva_arena.common import shipped
from khiva_arena.common.manual import where
from khiva_arena.common.strength import BotRung, ladders
from khiva_arena.entrants import bots as bot_files
from khiva_arena.errors import InternalError
from khiva_arena.extensions.grading.ladder import FILE
from khiva_arena.extensions.grading.seal import SEAL, write_seal
from khiva_arena.interface.commands import new_agents

BOTS = ("random", "naive", "greedy", "search")
"""The bots in Python from which the rungs are made. None of them looks at a clock, so
each is as strong on any machine.
"""
POINTS = (10, 20, 30, 40)
"""The points of the rungs, the weakest bot first."""
SEATS = 2
"""The seats at which a new ladder plays, as ``SETTINGS`` says."""
FOLDER = "rungs"
KEPT = ("version", "run", "interpreter", "memory", "build", "games")
SETTINGS = """\
# A ladder for `khiva-arena grade`. After a change: khiva-arena grade LADDER --seal
game = "khiva"
seats = 2
# Deals of each rung, fixed before anybody plays. With 500, a bot whose true strength is 50 Elo \
from a threshold
# between -100 and 100 gets the same mark in at least 95 of 100 gradings. Each rung plays twice as \
many matches.
seeds = 500
turn = "500ms"
bank = "5s"
# wall, or ticks: then the same bot and the same deals give the same marks on any machine.
clock = "wall"
# A bot that waits is stopped, so that none takes time from another.
ponder = false
isolation = "auto"

# A rung gives its points if the lower end of the 95 % interval of Elo above its bot is above the \
threshold.
"""
RUNG = """
# {strength} Elo over greedy at {seats} seats.
[[rung]]
name = "{name}"
bot = "{folder}/{name}"
points = {points}
threshold = 0
"""


def fill(draft: Path, name: str) -> None:
    """Write a whole ladder into an empty folder. ``name``: that the folder will
    have.
    """
    text = SETTINGS
    for rung, points in zip(rungs(), POINTS, strict=True):
        _copy(f"{shipped.WORD}python/{rung.name}", draft / FOLDER / rung.name)
        text += RUNG.format(
            name=rung.name, folder=FOLDER, points=points, strength=rung.in_words, seats=SEATS
        )
    (draft / FILE).write_text(text, encoding="utf-8")
    (draft / new_agents.FILE).write_text(agents_page(name), encoding="utf-8")
    write_seal(draft)


def rungs() -> list[BotRung]:
    """Return the rungs of a new ladder, the weakest first, as they were measured."""
    return [rung for rung in ladders()["khiva"][SEATS].rungs if rung.name in BOTS]


def agents_page(name: str) -> str:
    """Return AGENTS.md of a new ladder. ``name``: of its folder."""
    rows = [
        f"| `{rung.name}` | {points} | {rung.in_words} |"
        for rung, points in zip(rungs(), POINTS, strict=True)
    ]
    marks = {
        "NAME": name,
        "WORD": new_agents.typed(Path(name)),
        "FILE": FILE,
        "SEAL": SEAL,
        "RUNGS": "\n".join(rows),
        "SEATS": str(SEATS),
        "LINK": where("mark-a-course"),
    }
    return new_agents.filled(
        (files("khiva_arena.extensions.grading") / "agents.md").read_text(encoding="utf-8"), marks
    )


def next_lines(folder: str) -> list[str]:
    """Return the lines about a ladder that was made."""
    word = shlex.quote(folder)
    return [
        f"Mark a bot: khiva-arena grade {word} --bot my-bot",
        f"After a change of {FILE} or a rung: khiva-arena grade {word} --seal",
        f"How to mark a course: {where('mark-a-course')}",
    ]


def _copy(word: str, place: Path) -> None:
    """Copy a bot that comes with the arena, with all files that it includes, so that it
    needs no other folder.
    """
    bot = bot_files.load(word)
    raw = tomllib.loads((Path(bot.home) / "bot.toml").read_text(encoding="utf-8"))
    for path, source in bot.sources:
        target = place / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    values = {
        "name": place.name,
        **{key: raw[key] for key in KEPT if key in raw},
        "files": [path for path, _ in bot.sources],
    }
    (place / "bot.toml").write_text(
        "".join(f"{key} = {_toml(value)}\n" for key, value in values.items()), encoding="utf-8"
    )


def _toml(value: object) -> str:
    """Return a value of a shipped bot.toml as TOML: a text without quotes, a number, or
    a list of texts.
    """
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, int):
        return str(value)
    if not isinstance(value, str) or '"' in value or "\\" in value or not value.isprintable():
        raise InternalError(f"{value!r} cannot be written as TOML")
    return f'"{value}"'
