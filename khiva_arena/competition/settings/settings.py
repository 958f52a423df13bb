"""Settings of a competition: values from flags, environment and a settings file,
checked as a whole, every mistake at once.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from khiva_arena.bots.sandbox.limits import DEFAULT, Resources, of_settings
from khiva_arena.common import hooks
from khiva_arena.common.result import Clock, Comparison, Hypotheses, Model, Policy
from khiva_arena.common.setting_row import LISTS, Kind, Setting, duration_ms, megabytes
from khiva_arena.competition.settings.given_rules import game_named, given_rule
from khiva_arena.competition.settings.line_up_settings import (
    OF_LINE_UPS,
    line_ups_mistake,
    only_for,
)
from khiva_arena.competition.settings.table import AUTO as AUTO
from khiva_arena.competition.settings.table import TABLE, TEST_TABLE, TIMES
from khiva_arena.entrants import loading as loads
from khiva_arena.entrants import runtimes as named_runtimes
from khiva_arena.errors import ArenaError, ConfigError, GameFault
from khiva_arena.games.base import Game
from khiva_arena.rating.schedule.names import OF_SOME, Format
from khiva_arena.records.replay.conditions import TimeLimits
from khiva_arena.words import nearest

ROWS: dict[str, Setting] = {row.name: row for row in TABLE}
LEAVING_OUT = ("probation", "skip_broken")
"""The switches by which bots that cannot play are left out."""
OF_A_TEST: dict[str, Setting] = {row.name: row for row in (*TABLE, *TEST_TABLE)}
ALL_SETTINGS = "`khiva-arena init FILE` writes all settings, each with what it does"
PLACES = tuple(row.name for row in TABLE if row.elsewhere and not row.needs)
"""The settings that name a place other than this machine where matches are played."""
OF_EXTENSIONS = tuple(hooks.settings())
NOT_IN_TICKS = {
    "ponder": "with --clock ticks a bot waits until it is asked; leave this out",
    "isolation": (
        "with --clock ticks the runner gets the best sandbox that works here; leave this out"
    ),
    "link_allowance": "with --clock ticks every bot is a module that plays here; leave this out",
}
"""The settings that an event in ticks does not have, and what to do about each."""
MOST: dict[str, int] = {row.name: row.most for row in TABLE if row.most is not None}


class Settings(msgspec.Struct, frozen=True):
    """An event of a competition, checked.

    A field with the name of a row of ``table.TABLE`` is that setting, explained there;
    None, () or {} means that nobody gave it. The others:

    limits: times, in milliseconds.
    rules: the game's whole rules map.
    resources: the limits of a bot during a match.
    stage: the number of this event among several, from 1; 0: the only one.
    name: the stage's name.
    take: how many of the best of the stage before play in it; None: all.
    hypotheses: of a sequential test by bounds.
    comparison: of one that stops once it is clear, or when its time ends.
    link_ms: the setting link_allowance, in milliseconds.
    of_extensions: the settings of the installed extensions, by name; times are in
        milliseconds.
    """

    bots: tuple[str, ...]
    game: Game
    seats: int
    seeds: int
    seed: str | None
    copies: int
    lineups: int | str | None
    limits: TimeLimits
    policy: Policy
    clock: Clock
    rules: Mapping[str, Any]
    jobs: int
    out: Path
    isolation: str
    resources: Resources
    ponder: bool
    trust_bots: bool
    format: Format
    looks: int | None
    rounds: int | None
    advance: int | None
    candidates: tuple[str, ...]
    authors_apart: bool
    engines: Path | None
    events_file: Path | None
    report: Path | None
    link_ms: int
    kept: tuple[str, ...]
    of_extensions: Mapping[str, Any]
    network: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    rate_kept: bool = False
    skip_broken: bool = False
    probation: bool = False
    stage: int = 0
    name: str = ""
    take: int | None = None
    hypotheses: Hypotheses | None = None
    comparison: Comparison | None = None

    @property
    def leaves_out(self) -> str:
        """The option by which bots that cannot play are left out; "" if they end the
        run.
        """
        return next((ROWS[name].option for name in LEAVING_OUT if getattr(self, name)), "")

    @property
    def place(self) -> str:
        """The setting of ``PLACES`` by which matches are played elsewhere; "" for this
        machine.
        """
        return next((name for name in PLACES if self.of_extensions[name] is not None), "")


class _Problems:
    """Mistakes, each with the place of its value: the line of a file, or the flag.

    places: where each value stands, by setting or "rules.KEY" and its like.
    lines: the mistakes.
    wrong: the settings whose value is not possible, so that nothing else about it can
        be checked.
    """

    def __init__(self, places: Mapping[str, str]) -> None:
        self.places = places
        self.lines: list[str] = []
        self.wrong: set[str] = set()

    def check(self, row: Setting, value: object) -> None:
        for mistake in row.mistakes(value):
            self.add(row.name, mistake)
            self.wrong.add(row.name)

    def add(self, key: str, mistake: str) -> None:
        place = self.places.get(key, "")
        names_itself = "." in key or place.startswith(
            "--"
        )  # a rule or limit is named by its mistake, a flag by itself
        prefix = "" if names_itself else f"{key}: "
        self.lines.append(
            f"{place}: {prefix}{mistake}" if place else f"{OF_A_TEST[key].option}: {mistake}"
        )

    def add_of_table(self, table: str, error: ConfigError) -> None:
        """Add mistakes in a table, each of which begins with its key."""
        for problem in error.problems:
            keys = [
                f"{table}.{end}" for end in (problem.partition(":")[0], problem.partition(" ")[0])
            ]
            self.add(next((key for key in keys if key in self.places), table), problem)

    def add_unknown(self, key: str) -> None:
        place = self.places.get(key) or f"--{key}"
        if reason := hooks.why_unknown(key):
            self.lines.append(
                f"{place}: {reason}" if place.startswith("--") else f"{place}: {key} {reason}"
            )
            return
        self.lines.append(f"{place}: unknown setting {key!r}{nearest(key, ROWS)}; {ALL_SETTINGS}")


def settings_from(
    overrides: Mapping[str, Any],
    places: Mapping[str, str] | None = None,
    seats: str = "seats",
    *,
    test: bool = False,
    comparison: Comparison | None = None,
) -> Settings:
    """Lay ``overrides`` over the defaults and check all of it.

    places: where each key was given, for the messages; under ``seats``, the flag whose
        bots were counted.
    seats: the word for seats in messages.
    test: whether it is a sequential test by bounds, which has settings of its own, and
        as many copies of the opponents as fill a table.
    comparison: the rule of a comparison of the first two bots, at tables that copies of
        the last bots fill.

    Raises ConfigError with every mistake.
    """
    problems = _Problems(dict(places or {}))
    rows = OF_A_TEST if test else ROWS
    for key in overrides:
        if key not in rows:
            problems.add_unknown(key)
    values = {key: overrides.get(key, row.default) for key, row in rows.items()}
    for key, row in rows.items():
        if key in overrides:  # defaults have no mistakes
            problems.check(row, values[key])
    of_ticks = {"ponder": False} if values["clock"] == Clock.TICKS else {}
    for key in NOT_IN_TICKS if of_ticks else ():
        if overrides.get(key) not in (None, False, AUTO):
            problems.add(key, NOT_IN_TICKS[key])
    limits = values["limits"] if isinstance(values["limits"], Mapping) else {}
    if of_ticks and limits.get("cpu", DEFAULT.cpu) != DEFAULT.cpu:  # a definition has the default
        problems.add(
            "limits",
            "cpu: with --clock ticks a bot has the ticks of --turn and --bank; leave this out",
        )
    game = _game(values, problems)
    rules = _rules(values, game, seats, problems)
    _check_tables(values, problems)
    _check_together(values, problems, test=test or comparison is not None)
    of_a_test = _of_a_test(values, problems) if test else {}
    if comparison is not None and not problems.lines:
        of_a_test = _sequential(values, max(1, len(values["bots"]) - 2)) | {
            "comparison": comparison
        }
    if problems.lines or game is None:
        raise ConfigError(problems.lines)
    plain = {
        name: _as_read(ROWS[name], values) for name in Settings.__struct_fields__ if name in ROWS
    }
    derived = {
        "game": game,
        "rules": rules,
        "limits": TimeLimits(*(duration_ms(values[key]) for key in TIMES)),
        "link_ms": duration_ms(values.get("link_allowance", "0s")),
        "kept": tuple(values.get("kept", ())),
        "of_extensions": {row.name: _as_read(row, values) for row in OF_EXTENSIONS},
        "resources": _resources(values["limits"]),
        "policy": Policy(values["policy"]),
        "clock": Clock(values["clock"]),
        "format": Format(values["format"]),
    }
    return Settings(**{**plain, **derived, **of_a_test, **of_ticks})


def _as_read(row: Setting, values: Mapping[str, Any]) -> Any:
    """Return a checked value with the type that ``Settings`` has for it."""
    value = values[row.name]
    if row.kind in (Kind.FILE, Kind.FOLDER):
        return None if value is None else Path(value)
    if row.kind is Kind.DECIMAL:
        return float(value)
    if row.kind is Kind.TIME:
        return duration_ms(value)
    if row.kind is Kind.SIZE:
        return None if value is None else megabytes(value) * 1_000_000
    return tuple(value) if row.kind in LISTS else value


def _of_a_test(values: Mapping[str, Any], problems: _Problems) -> dict[str, Any]:
    """Return what a sequential test has in place of a competition's values; {} if a
    value of it is wrong.
    """
    if problems.lines:
        return {}
    model = Model.NORMALIZED if values["normalized"] else Model.LOGISTIC
    options = {
        row.name: _as_read(row, values)
        for row in TEST_TABLE
        if row.name in Hypotheses.__struct_fields__
    }
    try:
        hypotheses = Hypotheses(**options, model=model)
    except ConfigError as error:
        problems.lines += error.problems
        return {}
    return _sequential(values, max(1, len(values["bots"]) - 1)) | {"hypotheses": hypotheses}


def _sequential(values: Mapping[str, Any], opponents: int) -> dict[str, Any]:
    """Return the format of a sequential test, and how many copies of so many opponents
    fill the other seats.
    """
    return {"format": Format.SPRT, "copies": -(-(values["seats"] - 1) // opponents)}


# --- what a row alone cannot check ---


def _game(values: Mapping[str, Any], problems: _Problems) -> Game | None:
    try:
        return None if "game" in problems.wrong else game_named(values["game"])
    except GameFault:
        raise
    except ArenaError as error:
        problems.add("game", str(error))
        return None


def _rules(
    values: Mapping[str, Any], game: Game | None, seats: str, problems: _Problems
) -> Mapping[str, Any]:
    """Return the game's whole rules map, {} if it cannot be made. The seats are
    checked, too.
    """
    if game is None:
        return {}
    if "seats" not in problems.wrong and values["seats"] not in game.seats:
        counts = f"{game.seats[0]} to {game.seats[-1]}"
        problems.add("seats", f"{game.name} is played with {counts} {seats}, not {values['seats']}")
    rules: dict[str, Any] = {}
    for key, value in values["rules"].items() if "rules" not in problems.wrong else ():
        try:
            rules[key] = given_rule(value)
        except ConfigError as error:
            problems.add(
                f"rules.{key}" if f"rules.{key}" in problems.places else "rules",
                f"{key} is {error}",
            )
    try:
        rules_map = game.rules(rules)
    except ConfigError as error:
        problems.add_of_table("rules", error)
        return {}
    if values["seats"] in game.seats and values["seats"] not in (able := game.seats_of(rules_map)):
        problems.add(
            "seats",
            f"{game.name} is played with {' or '.join(map(str, able))} {seats} under these rules",
        )
    return rules_map


def _check_tables(values: Mapping[str, Any], problems: _Problems) -> None:
    for key, check in (
        ("limits", _resources),
        ("limits", loads.bounds_of_settings),
        ("runtimes", named_runtimes.of_settings),
    ):
        try:
            if key not in problems.wrong:
                check(values[key])
        except ConfigError as error:
            problems.add_of_table(key, error)


def _resources(limits: Mapping[str, Any]) -> Resources:
    return of_settings(
        {key: value for key, value in limits.items() if key not in loads.WORDS}, tuple(loads.WORDS)
    )


def _check_together(values: Mapping[str, Any], problems: _Problems, *, test: bool) -> None:
    """Add the mistakes of settings that are right alone and wrong beside others."""
    if (
        isinstance(values["bots"], list | tuple)
        and not values["bots"]
        and values["engines"] is None
    ):
        problems.add(
            "bots",
            "no bots; name at least two, e.g. --bot shipped:python/random --bot "
            "shipped:python/greedy",
        )
    form = values["format"]
    if "format" in problems.wrong:
        return
    for key in OF_LINE_UPS:
        if key not in problems.wrong and (
            mistake := line_ups_mistake(key, values[key], form, test=test)
        ):
            problems.add(key, mistake)
    for key in OF_SOME:
        if values[key] and form not in (forms := only_for(key)):
            problems.add(key, f"only a {' or a '.join(forms)} has this, not a {form}")
