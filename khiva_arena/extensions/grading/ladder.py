"""A ladder: its settings, its rungs and its hash, as they lie in its folder."""

import re
from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

from khiva_arena.common.result import MOST_ELO
from khiva_arena.competition.settings.file import by_line, lines_of
from khiva_arena.competition.settings.settings import Settings, settings_from
from khiva_arena.entrants import toml_file
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.grading.interval import CLEAR_ELO, seeds_for
from khiva_arena.extensions.grading.seal import check_seal
from khiva_arena.games.registry import NAMES
from khiva_arena.rating.schedule.names import Format
from khiva_arena.words import count, nearest

FILE = "ladder.toml"
RUNG = "rung"
OF_A_LADDER = (
    *(
        "game",
        "seats",
        "seeds",
        "rules",
        "turn",
        "bank",
        "start",
        "clock",
        "policy",
        "isolation",
        "ponder",
        "limits",
    ),
)
"""The settings that a ladder has; each is that of a competition."""
NEEDED = ("game", "seats", "seeds")
_OF_A_RUNG = ("name", "bot", "points", "threshold")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
MOST_POINTS = 1_000_000
MOST_RUNGS = 100


class Rung(NamedTuple):
    """A bot of a ladder, and the points for being better than it.

    name: of the rung.
    folder: of its bot.
    points: for a bot that passes the rung.
    threshold: Elo above the rung's bot that a bot needs.
    """

    name: str
    folder: Path
    points: int
    threshold: float


class Ladder(NamedTuple):
    """A ladder.

    folder: where it lies.
    digest: its hash.
    values: its settings, as they are typed.
    places: the file and line of each setting.
    rungs: from the first to the last.
    """

    folder: Path
    digest: str
    values: Mapping[str, Any]
    places: Mapping[str, str]
    rungs: tuple[Rung, ...]

    @property
    def points(self) -> int:
        """The points of all rungs."""
        return sum(rung.points for rung in self.rungs)

    def settings(self, more: Mapping[str, Any]) -> Settings:
        """Return the settings of the matches against a rung. Raises ConfigError with
        every mistake, each with its line.

        more: settings that are no ladder's, the two bots among them
        """
        seats = self.values["seats"]
        copies = max(1, seats - 1) if isinstance(seats, int) else 1
        typed = {**self.values, **more, "format": Format.GAUNTLET, "copies": copies}
        try:
            return settings_from(typed, self.places)
        except ConfigError as error:
            raise ConfigError(by_line(error.problems, self.places)) from None

    def too_few_seeds(self) -> str:
        """Return a line if the ladder has so few seeds that one bot may get another
        mark in the next grading, else "".
        """
        seeds, enough = self.values["seeds"], max(seeds_for(rung.threshold) for rung in self.rungs)
        if seeds >= enough:
            return ""
        return (
            f"with {count(seeds, 'seed')} a bot may get another mark in the next grading, even "
            f"{CLEAR_ELO:g} Elo away from a threshold; {enough} are enough"
        )


def read_ladder(folder: Path) -> Ladder:
    """Return the ladder in a folder that is as it was sealed. Raises ConfigError."""
    if not folder.is_dir():
        raise ConfigError(
            f"{folder}: there is no such folder; `khiva-arena new ladder FOLDER` makes a ladder"
        )
    digest = check_seal(folder)
    return _read(folder, digest)


def check_ladder(folder: Path) -> None:
    """Check the settings and rungs of a ladder before it is sealed. Raises
    ConfigError.
    """
    if not (folder / FILE).is_file():
        raise ConfigError(
            f"{folder}: no {FILE} lies there; `khiva-arena new ladder FOLDER` makes a ladder"
        )
    ladder = _read(folder, "")
    ladder.settings({"bots": ("a", "b")})


def _read(folder: Path, digest: str) -> Ladder:
    path = folder / FILE
    text, raw = toml_file.read(path, follow=False)
    places = {key: f"{path}:{line}" for key, line in lines_of(text).items()}
    known = (*OF_A_LADDER, RUNG)
    problems = [
        f"{places.get(key, path)}: unknown setting {key!r}{nearest(key, known)}"
        for key in raw
        if key not in known
    ]
    problems += [f"{path}: {key} is missing" for key in NEEDED if key not in raw]
    if "game" in raw and raw["game"] not in NAMES:
        problems.append(
            f"{places['game']}: game: a ladder is of a game that comes with the arena: "
            f"{', '.join(NAMES)}"
        )
    rungs, mistakes = _rungs(folder, raw.get(RUNG, ()), places)
    if problems or mistakes:
        raise ConfigError([*problems, *mistakes])
    values = {key: value for key, value in raw.items() if key != RUNG}
    return Ladder(folder, digest, values, places, rungs)


def _rungs(folder: Path, raw: Any, places: Mapping[str, str]) -> tuple[tuple[Rung, ...], list[str]]:
    """Return the rungs, and the mistakes in them."""
    path = folder / FILE
    if not isinstance(raw, Sequence) or isinstance(raw, str) or not raw or len(raw) > MOST_RUNGS:
        return (), [f"{path}: a ladder has 1 to {MOST_RUNGS} tables [[{RUNG}]]"]
    rungs: list[Rung] = []
    problems: list[str] = []
    for number, row in enumerate(raw):
        place = places.get(f"{RUNG}.{number}", str(path))
        if mistakes := _mistakes(folder, row):
            problems += [f"{place}: {mistake}" for mistake in mistakes]
        elif row["name"] in [rung.name for rung in rungs]:
            problems.append(f"{place}: a rung before it is called {row['name']}, too")
        else:
            rungs.append(
                Rung(row["name"], folder / row["bot"], row["points"], float(row["threshold"]))
            )
    return tuple(rungs), problems


def _mistakes(folder: Path, row: Any) -> list[str]:
    """Return the mistakes of one rung."""
    if not isinstance(row, Mapping) or set(row) != set(_OF_A_RUNG):
        return [f"a rung has {', '.join(_OF_A_RUNG)}, and no other key"]
    name, bot, points, threshold = (row[key] for key in _OF_A_RUNG)
    problems = []
    if not (isinstance(name, str) and _NAME.fullmatch(name)):
        problems.append("name: give up to 64 letters, digits and . _ -, a letter or digit first")
    if not (isinstance(bot, str) and _lies_in(folder, bot)):
        problems.append("bot: name a folder inside of the ladder, as rungs/greedy")
    if type(points) is not int or not 0 < points <= MOST_POINTS:
        problems.append(f"points: give a whole number from 1 to {MOST_POINTS:,}")
    if type(threshold) not in (int, float) or not isfinite(threshold) or abs(threshold) > MOST_ELO:
        problems.append(f"threshold: give a number of Elo from -{MOST_ELO:g} to {MOST_ELO:g}")
    return problems


def _lies_in(folder: Path, bot: str) -> bool:
    parts = Path(bot).parts
    return (
        "\0" not in bot
        and not Path(bot).is_absolute()
        and ".." not in parts
        and bool(parts)
        and (folder / bot).is_dir()
    )
