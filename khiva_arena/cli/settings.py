"""What a competition is set to: read from flags, environment and a TOML file, checked as a whole, every mistake at once."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from khiva_arena.arbiter import loading as loads
from khiva_arena.arbiter import runtimes as named_runtimes
from khiva_arena.arbiter.clock import Limits
from khiva_arena.arbiter.isolation import Level
from khiva_arena.arbiter.loading import Loading
from khiva_arena.arbiter.resources import DEFAULT, Resources, of_settings
from khiva_arena.cli.options import is_text
from khiva_arena.cli.settings_file import names_file, read_toml
from khiva_arena.errors import ArenaError, ConfigError
from khiva_arena.games.base import Game
from khiva_arena.games.registry import get
from khiva_arena.result import Policy
from khiva_arena.schedule.formats import Format
from khiva_arena.words import meant

if TYPE_CHECKING:
    from khiva_arena.ratings.sprt import Hypotheses  # numpy comes with it, and not every command needs that

_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m)")
_MS = {"ms": 1, "s": 1000, "m": 60_000}
AUTO = "auto"
LONGEST_MS = 24 * 60 * 60_000
MOST = {"seeds": 1_000_000, "lineups": 100_000, "jobs": 10_000, "rounds": 1_000}


@dataclass(frozen=True, slots=True)
class Settings:
    """One event of a competition, checked. ``rules`` is the game's whole rules map; ``seed`` None means: draw one; ``isolation``
    is a level's name or "auto"; ``loading`` is with what bots are read.

    lineups: at most so many; None: all; "auto": the fewest that compare all bots, see ``schedule.lineups.fewest``.
    stage, name: which of several events this is, from 1, and what it is called; 0: the only one. take: how many of the best of
    the stage before play in it, None for all. hypotheses: of a sequential test.
    """

    bots: tuple[str, ...]
    game: Game
    seats: int
    seeds: int
    seed: str | None
    copies: int
    lineups: int | str | None
    limits: Limits
    policy: Policy
    rules: Mapping[str, Any]
    jobs: int
    out: Path
    isolation: str
    resources: Resources
    ponder: bool
    trust_bots: bool
    format: Format
    rounds: int | None
    advance: int | None
    candidates: tuple[str, ...]
    authors_apart: bool
    engines: Path | None
    events: Path | None
    loading: Loading = loads.AS_IT_IS
    stage: int = 0
    name: str = ""
    take: int | None = None
    hypotheses: "Hypotheses | None" = None


DEFAULTS: dict[str, Any] = {
    "bots": (),
    "engines": None,
    "game": "khiva",
    "format": str(Format.ROUND_ROBIN),
    "rounds": None,
    "advance": None,
    "candidates": (),
    "authors_apart": False,
    "seats": 3,
    "seeds": 10,
    "seed": None,
    "copies": 1,
    "lineups": None,
    "turn": "1s",
    "bank": "10s",
    "start": "10s",
    "policy": "lenient",
    "rules": {},
    "jobs": 1,
    "out": "results/latest",
    "events": None,
    "isolation": AUTO,
    "limits": {},
    "runtimes": {},
    "ponder": True,
    "trust_bots": False,
}

FLAGS = {
    "bots": "bot",
    "rules": "rule",
    "limits": "limit",
    "runtimes": "runtime",
    "trust_bots": "trust-bots",
    "candidates": "candidate",
    "authors_apart": "authors-apart",
}
"""Where the flag is called otherwise than the setting."""

FORMATS = [str(form) for form in Format if form is not Format.SPRT]
ONLY_FOR = {"rounds": ["swiss"], "advance": ["knockout"], "candidates": ["gauntlet"]}


def duration_ms(text: object) -> int:
    """Milliseconds of "1s", "500ms", "1.5s", "2m". Raises ValueError."""
    match = _DURATION.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise ValueError(f'{text!r} is no time; write "1s", "500ms" or "2m"')
    ms = float(match[1]) * _MS[match[2]]
    if ms > LONGEST_MS:
        raise ValueError(f"{str(text)[:40]!r} is longer than a day")
    return round(ms)


def _rules(values: dict[str, Any], where: Mapping[str, str], wrong: Any) -> dict[str, Any]:
    """The rules given, with the table in a TOML file for each that is "@FILE"."""
    rules: dict[str, Any] = {}
    for key, value in values["rules"].items() if isinstance(values["rules"], Mapping) else ():
        try:
            rules[key] = read_toml(Path(value[1:]))[1] if names_file(value) else value
        except ConfigError as error:
            wrong(f"rules.{key}" if f"rules.{key}" in where else "rules", f"{key} is {error}")
    return rules


def pairs_of_flags(flag: str, pairs: tuple[str, ...]) -> dict[str, Any]:
    """``--rule KEY=VALUE`` and its like as a map; JSON is taken as such. Raises ConfigError with every mistake."""
    out: dict[str, Any] = {}
    problems: list[str] = []
    for pair in pairs:
        key, separator, value = pair.partition("=")
        if not separator:
            problems.append(f"{flag} {pair}: write {flag} KEY=VALUE")
        try:
            out[key] = json.loads(value)
        except (ValueError, RecursionError):
            out[key] = value
    if problems:
        raise ConfigError(problems)
    return out


def texts_of_flags(flag: str, pairs: tuple[str, ...]) -> dict[str, str]:
    """``--runtime NAME=DIR`` and its like as a map. Raises ConfigError with every mistake."""
    if problems := [f"{flag} {pair}: write {flag} NAME=DIR" for pair in pairs if "=" not in pair]:
        raise ConfigError(problems)
    return {name: text for name, _, text in (pair.partition("=") for pair in pairs)}


def tables_of_flags(said: dict[str, Any]) -> dict[str, Any]:
    """The tables that repeated flags make, taken out of what was said. Raises ConfigError."""
    return {
        "rules": pairs_of_flags("--rule", said.pop("rule", ())),
        "limits": pairs_of_flags("--limit", said.pop("limit", ())),
        "runtimes": texts_of_flags("--runtime", said.pop("runtime", ())),
    }


def loading_of_flags(runtimes: tuple[str, ...], limits: tuple[str, ...]) -> Loading:
    """With what bots of a stored match are read again: ``--runtime``, and of ``--limit`` what bounds a bot's files. Raises
    ConfigError with every mistake."""
    given, problems = pairs_of_flags("--limit", limits), list[str]()
    bounds, named = {key: value for key, value in given.items() if key in loads.WORDS}, texts_of_flags("--runtime", runtimes)
    for key in given.keys() - bounds.keys():
        problems.append(f"--limit {key}: the stored match has its limits; of others there are {', '.join(loads.WORDS)}")
    for flag, check, values in (
        ("--limit", loads.bounds_of_settings, bounds),
        ("--runtime", named_runtimes.of_settings, named),
    ):
        try:
            check(values)
        except ConfigError as error:
            problems += [f"{flag} {problem}" for problem in error.problems]
    if problems:
        raise ConfigError(problems)
    return loads.found_in(bounds, named)


def settle(
    given: Mapping[str, Any],
    places: Mapping[str, str] | None = None,
    seats: str = "seats",
    hypotheses: "Hypotheses | None" = None,
) -> Settings:
    """Lay ``given`` over the defaults and check all of it. ``places`` names where each key was given, for the messages, and
    ``seats`` what was counted for their number. With ``hypotheses`` it is a sequential test, with as many copies of the
    opponents as fill a table.

    Raises ConfigError with every mistake.
    """
    where = dict(places or {})
    problems: list[str] = []

    def wrong(key: str, what: str) -> None:
        named = "." in key or where.get(key, "").startswith("--")  # a rule or limit is named by its mistake, a flag by itself
        called = "" if named else f"{key}: "
        problems.append(f"{where[key]}: {called}{what}" if where.get(key) else f"--{FLAGS.get(key, key)}: {what}")

    problems += [
        f"{where.get(key) or '--' + key}: unknown setting {key!r}{meant(key, DEFAULTS)}; known are {', '.join(DEFAULTS)}"
        for key in given
        if key not in DEFAULTS
    ]
    values = DEFAULTS | {key: value for key, value in given.items() if key in DEFAULTS}
    _check_shapes(values, wrong)
    limits = _limits(values, wrong)
    game = _game(values, wrong)
    rules: Mapping[str, Any] = {}
    if game is not None:
        if isinstance(values["seats"], int) and values["seats"] >= 1 and values["seats"] not in game.seats:
            counts = f"{game.seats[0]} to {game.seats[-1]}"
            wrong("seats", f"{game.name} is played with {counts} {seats}, not {values['seats']}")
        try:
            rules = game.rules(_rules(values, where, wrong))
        except ConfigError as error:
            for problem in error.problems:
                rule = problem.split()[0].rstrip(":")
                wrong(f"rules.{rule}" if f"rules.{rule}" in where else "rules", problem)
    resources, loading = _resources(values, where, wrong), _loading(values, where, wrong)
    if values["isolation"] not in (AUTO, *Level):
        wrong(
            "isolation",
            f"{values['isolation']!r} is no level{meant(values['isolation'], (AUTO, *Level))}; "
            f"there are {AUTO}, {', '.join(Level)}",
        )
    if values["policy"] not in [str(policy) for policy in Policy]:
        wrong("policy", f"{values['policy']!r} is no policy{meant(values['policy'], Policy)}; there are lenient and strict")
    form = values["format"]
    if form not in FORMATS:
        wrong("format", f"{form!r} is no format{meant(form, FORMATS)}; there are {', '.join(FORMATS)}")
    if values["lineups"] == AUTO and form in FORMATS and (form != Format.ROUND_ROBIN or hypotheses):
        wrong("lineups", f"{AUTO} is for a round-robin; give a number")
    for key, forms in ONLY_FOR.items():
        if values[key] and form in FORMATS and form not in forms:
            wrong(key, f"only a {' or a '.join(forms)} has this, not a {form}")
    if problems or game is None or limits is None:
        raise ConfigError(problems)
    return Settings(
        bots=tuple(values["bots"]),
        game=game,
        seats=values["seats"],
        seeds=values["seeds"],
        seed=values["seed"],
        copies=values["copies"] if hypotheses is None else -(-(values["seats"] - 1) // max(1, len(values["bots"]) - 1)),
        lineups=values["lineups"],
        limits=limits,
        policy=Policy(values["policy"]),
        rules=rules,
        jobs=values["jobs"],
        out=Path(values["out"]),
        isolation=values["isolation"],
        resources=resources,
        ponder=values["ponder"],
        trust_bots=values["trust_bots"],
        format=Format.SPRT if hypotheses else Format(form),
        rounds=values["rounds"],
        advance=values["advance"],
        candidates=tuple(values["candidates"]),
        authors_apart=values["authors_apart"],
        engines=None if values["engines"] is None else Path(values["engines"]),
        events=None if values["events"] is None else Path(values["events"]),
        loading=loading,
        hypotheses=hypotheses,
    )


def _resources(values: dict[str, Any], where: Mapping[str, str], wrong: Any) -> Resources:
    limits = values["limits"] if isinstance(values["limits"], Mapping) else {}
    try:
        return of_settings({key: value for key, value in limits.items() if key not in loads.WORDS}, tuple(loads.WORDS))
    except ConfigError as error:
        _by_key("limits", error, where, wrong)
        return DEFAULT


def _loading(values: dict[str, Any], where: Mapping[str, str], wrong: Any) -> Loading:
    for key, check in (("limits", loads.bounds_of_settings), ("runtimes", named_runtimes.of_settings)):
        try:
            if isinstance(values[key], Mapping):
                check(values[key])
        except ConfigError as error:
            _by_key(key, error, where, wrong)
    return loads.found_in(values["limits"], values["runtimes"])


def _by_key(table: str, error: ConfigError, where: Mapping[str, str], wrong: Any) -> None:
    """Tell mistakes in a table, each of which begins with its key."""
    for problem in error.problems:
        key = f"{table}.{problem.partition(':')[0]}"
        wrong(key if key in where else table, problem)


def _check_shapes(values: dict[str, Any], wrong: Any) -> None:
    for key in ("seats", "seeds", "copies", "jobs", "lineups", "rounds", "advance"):
        value = values[key]
        if (value is None and DEFAULTS[key] is None) or (key == "lineups" and value == AUTO):
            continue
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            wrong(key, f"{value!r} is not a whole number of at least 1")
        elif value > MOST.get(key, value):
            wrong(key, f"{MOST[key]:,} at most, not {value}")
    for key, what in (("bots", "folders or commands"), ("candidates", "bots' names")):
        if not isinstance(values[key], list | tuple) or not all(isinstance(word, str) for word in values[key]):
            wrong(key, f"a list of {what} is expected")
    if isinstance(values["bots"], list | tuple) and not values["bots"] and values["engines"] is None:
        wrong("bots", "no bots; name at least two, e.g. --bot shipped:python/random --bot shipped:python/greedy")
    if not isinstance(values["rules"], Mapping):
        wrong("rules", "a table of rule variants is expected")
    if not isinstance(values["limits"], Mapping):
        wrong("limits", "a table of limits is expected")
    if not isinstance(values["runtimes"], Mapping):
        wrong("runtimes", "a table of runtimes is expected")
    for key in ("ponder", "trust_bots", "authors_apart"):
        if not isinstance(values[key], bool):
            wrong(key, "true or false is expected")
    if values["seed"] is not None and not (isinstance(values["seed"], str) and values["seed"]):
        wrong("seed", "a text is expected")
    if not isinstance(values["out"], str | Path):
        wrong("out", "a folder is expected")
    for key in ("engines", "events"):
        if not isinstance(values[key], str | Path | None):
            wrong(key, "a file is expected")
    if not isinstance(values["game"], str):
        wrong("game", "a name is expected")
    for key in ("seed", "out", "bots", "engines", "events", "candidates"):
        for word in values[key] if isinstance(values[key], list | tuple) else [values[key]]:
            if isinstance(word, str) and not is_text(word):
                wrong(key, f"{word!r} is no valid Unicode text, or has a NUL in it")


def _limits(values: dict[str, Any], wrong: Any) -> Limits | None:
    found: dict[str, int] = {}
    for key, field in zip(("start", "turn", "bank"), fields(Limits), strict=True):
        try:
            found[field.name] = duration_ms(values[key])
        except ValueError as error:
            wrong(key, str(error))
    if found.get("turn_ms") == 0:
        wrong("turn", "a turn takes at least 1ms")
    if found.get("startup_ms") == 0:
        wrong("start", "a start takes at least 1ms")
    return Limits(**found) if len(found) == 3 else None


def _game(values: dict[str, Any], wrong: Any) -> Game | None:
    if not isinstance(values["game"], str):
        return None
    try:
        return get(values["game"])
    except ArenaError as error:
        wrong("game", str(error))
        return None
