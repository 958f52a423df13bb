"""The settings of a league: its ``league.toml``, which is a settings file without what
a league decides itself.

It is as safe to open as any settings file: what it opens on this machine needs the
user's word.
"""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

import msgspec
from msgspec import structs

from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.common.result import Clock
from khiva_arena.common.say import Say
from khiva_arena.competition.playing.starts import as_modules
from khiva_arena.competition.settings import consent
from khiva_arena.competition.settings.competition import Asker, entrants_named, with_consent
from khiva_arena.competition.settings.define import conditions_of, short_turn_refusal
from khiva_arena.competition.settings.file import SettingsFile, by_line, read_file
from khiva_arena.competition.settings.isolation import chosen_sandbox, sandbox_of
from khiva_arena.competition.settings.settings import Settings, settings_from
from khiva_arena.competition.settings.table import TABLE
from khiva_arena.competition.settings.template import block, comment
from khiva_arena.entrants.bots import Bot, pinned
from khiva_arena.entrants.loading import Loading, valid_part_of
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.league.chain.links import YEARS, Anchor, Beacon, LeagueTerms
from khiva_arena.extensions.league.folder import SETTINGS, refuse_old_queue
from khiva_arena.extensions.league.league_options import BEGINS, LeagueOptions
from khiva_arena.extensions.league.pace import Pace, hours_of
from khiva_arena.words import meant

NOT_IN_A_LEAGUE = {
    "engines": "name anchors in bots, and enter all others with `khiva-arena league enter`",
    "format": "a league draws its batches itself",
    "looks": "a league's table may be looked at daily; quote the one of a season that is over",
    "seed": "each batch has a secret of its own, which nobody knows before",
    "copies": "versions of one bot never meet",
    "lineups": "a league draws its batches itself",
    "rounds": "a league draws its batches itself",
    "advance": "a league draws its batches itself",
    "candidates": "a league draws its batches itself",
    "authors_apart": "write it below [league]",
    "out": "a league is its own store",
    "events_file": "give --events-file to the player",
    "report": "`khiva-arena report` makes a page of the league",
    "listen": "bots on other machines cannot be checked, so they are in no league",
    "tls_cert": "bots on other machines cannot be checked, so they are in no league",
    "tls_key": "bots on other machines cannot be checked, so they are in no league",
    "tokens": "bots on other machines cannot be checked, so they are in no league",
    "reconnect": "bots on other machines cannot be checked, so they are in no league",
    "link_allowance": "bots on other machines cannot be checked, so they are in no league",
    "kept": "bots on other machines cannot be checked, so they are in no league",
    "rate_kept": "bots on other machines cannot be checked, so they are in no league",
    "network": "bots of strangers get no network",
    "env": "bots of strangers get no variables",
    "skip_broken": "a bot that does not start is suspended",
    "probation": "each bot that is entered plays a trial table",
    "stage": "a league has no stages",
    "transcripts": "a league shows the notes of a bot to its author",
}
"""The settings of a competition that a league does not have, and what to do about
each.
"""
MOST_NAME = 80
HEAD = """\
# A league for Khiva Arena. Enter bots with `khiva-arena league enter`, play with `khiva-arena \
league play`.
# Each setting has its explanation above it. One that begins with # and no space is not set: its \
value is an example.
# The league is founded when its first batch is played. From then on a changed condition begins a \
new table of ratings, and the
# anchors stay as they are.
"""


NO_BOTS_IN_BUNDLES = "by the wall clock no bundle holds bots; leave it out"
"""What is said of ``publish_bots`` in a league that is not in ticks."""


class League(NamedTuple):
    """The settings of a league, checked.

    folder: of the league.
    settings: those that a competition has, too.
    loading: how its bots are read.
    options: those of ``[league]``.
    anchors: the bots that play in every batch.
    sandbox: of all bots.
    """

    folder: Path
    settings: Settings
    loading: Loading
    options: LeagueOptions
    anchors: tuple[Bot, ...]
    sandbox: Sandbox

    @property
    def name(self) -> str:
        """The name of the league, for people."""
        return self.options.name or self.folder.absolute().name

    @property
    def terms(self) -> LeagueTerms:
        """The terms on which batches are played."""
        conditions = conditions_of(self.settings, self.anchors, self.sandbox)
        options = self.options
        return LeagueTerms(
            conditions=conditions.plain(),
            seats=self.settings.seats,
            seeds=self.settings.seeds,
            most_tables=options.most_tables or None,
            authors_apart=options.authors_apart,
            versions=options.versions,
            bots_an_author=options.bots_an_author,
            fewest_batches=options.fewest_batches,
            final_bots_an_author=options.final_bots_an_author,
            reveal_hours=options.reveal_hours,
            cpu_minutes=options.cpu_minutes,
            retry_minutes=options.retry_minutes,
            beacon=_beacon(options),
            season_batches=options.season_batches,
            interpreters=options.interpreters or msgspec.UNSET,
            anchor=options.anchor or self.anchors[0].name,
            publish_bots=publishes_bots(self.settings.clock, options),
        )

    @property
    def pace(self) -> Pace:
        """The pace at which batches begin."""
        return self.options.pace

    @property
    def frozen_anchors(self) -> tuple[Anchor, ...]:
        """The anchors as the chain names them."""
        return tuple(
            Anchor(bot.name, bot.identity, bot.built_from, bot.parts) for bot in self.anchors
        )


def publishes_bots(clock: str, options: LeagueOptions) -> bool | msgspec.UnsetType:
    """Return the term ``publish_bots`` of a league: by default True in ticks, and unset
    by the wall clock.
    """
    return options.publish_bots is not False if clock == Clock.TICKS else msgspec.UNSET


def _beacon(options: LeagueOptions) -> Beacon | None:
    """Return the beacon that settings name, None if they name none. Raises ConfigError
    if they say it only in part.
    """
    if not options.beacon and not options.beacon_begins and not options.beacon_seconds:
        return None
    if not (options.beacon and options.beacon_begins and options.beacon_seconds):
        raise ConfigError(
            f"{SETTINGS}: a beacon has all three of beacon, beacon_begins and "
            "beacon_seconds, or none of them"
        )
    try:
        return Beacon(
            options.beacon, options.beacon_begins, options.beacon_seconds, options.beacon_ahead
        )
    except ValueError:
        years = f"{YEARS[0]} to {YEARS[-1]}"
        raise ConfigError(
            f"{SETTINGS}: beacon_begins: write a time of {years} with its offset, such as "
            f"{BEGINS!r}"
        ) from None


def options_of(folder: Path) -> LeagueOptions:
    """Return what the settings file in a folder says of the league alone. Raises
    ConfigError if it is not there, or wrong.
    """
    file, problems = _file_of(folder), list[str]()
    options = _options(file.settings.get("league", {}), file.places, problems)
    if problems:
        raise ConfigError(by_line(problems, file.places))
    return options


def publishes_bots_in(folder: Path) -> bool:
    """Tell whether bundles may hold the bots of the league in a folder, as its settings
    file says. Raises ConfigError if the file is not there, or wrong.
    """
    return publishes_bots(_file_of(folder).settings.get("clock", ""), options_of(folder)) is True


def _file_of(folder: Path) -> SettingsFile:
    path = folder / SETTINGS
    if not path.is_file():
        raise ConfigError(
            f"{folder}: no league here, since it has no {SETTINGS}; `khiva-arena league "
            "new` makes one"
        )
    refuse_old_queue(folder)  # before its settings, some of which may be unknown now
    return read_file(path)


def league_of(folder: Path, flags: Mapping[str, Any], say: Say, *, is_new: bool = False) -> League:
    """Return the settings of the league in a folder.

    flags: settings that win over those of its file.
    is_new: whether it was made just now: no isolation level is needed, and without one
        nothing is built.

    Raises ConfigError with every mistake, or if the user does not agree to what the
    file opens.
    """
    path, file = folder / SETTINGS, _file_of(folder)
    own, places = dict(file.settings), dict(file.places)
    table = own.pop("league", {})
    problems: list[str] = []
    for key, advice in NOT_IN_A_LEAGUE.items():
        if own.pop(key, None) is not None:
            problems.append(f"{places[key]}: {key}: {advice}; leave it out")
    options = _options(table, places, problems)
    name = options.name or folder.absolute().name
    if not (1 <= len(name) <= MOST_NAME and name.isprintable()):
        problems.append(
            f"{path}: a league's name has 1 to {MOST_NAME} printable characters; write one "
            "below [league]"
        )
    given = {"seeds": 1, **own, **flags, "out": str(folder)}
    anchors: list[Bot] = []
    try:
        anchors = entrants_named(given, say)
        if len(anchors) < 2:
            problems.append(
                f"{places.get('bots', path)}: bots: name two anchors or more, which play "
                "in every batch"
            )
        if options.anchor and options.anchor not in (names := [anchor.name for anchor in anchors]):
            place, name = (
                places.get("league.anchor", path),
                f"{options.anchor!r}{meant(options.anchor, names)}",
            )
            problems.append(
                f"{place}: anchor: no anchor is called {name}; there are {', '.join(names)}"
            )
    except ConfigError as error:
        problems += error.problems

    def checked_settings() -> Settings:
        settings = settings_from(given, places)
        reasons = short_turn_refusal(settings)
        if settings.isolation == "trusted" or settings.trust_bots:
            reasons.append(
                f"{path}: at level trusted a bot could read the deals; leave isolation and "
                "trust_bots out"
            )
        if options.cpu_minutes and settings.clock is Clock.TICKS:
            reasons.append(
                f"{places.get('league.cpu_minutes', path)}: cpu_minutes: in ticks --turn "
                "and --bank bound it; leave it out"
            )
        if options.publish_bots is not None and settings.clock is not Clock.TICKS:
            reasons.append(
                f"{places.get('league.publish_bots', path)}: publish_bots: {NO_BOTS_IN_BUNDLES}"
            )
        if reasons:
            raise ConfigError(reasons)
        return settings

    asker = Asker(
        file._replace(settings=own, places=places), flags, say, _command_that_asks(folder)
    )
    settings = with_consent(asker, anchors, problems, checked_settings)
    try:
        hours_of(options.hours)
    except ConfigError as error:
        problems += [f"{places.get('league.hours', path)}: {problem}" for problem in error.problems]
    if problems or settings is None:
        raise ConfigError(by_line(problems, places))
    loading = valid_part_of(given)
    sandbox = (
        chosen_sandbox(settings)
        if is_new
        else sandbox_of(settings, say, rated=True, may_trust=False)
    )
    if settings.clock is Clock.TICKS:
        interpreters = structs.replace(loading.interpreters, pins=options.interpreters)
        loading = structs.replace(loading, interpreters=interpreters)
        anchors = [pinned(bot, interpreters) for bot in anchors]
        if (
            sandbox.level.confines or not is_new
        ):  # a new league's anchors are built when it is first played
            anchors = as_modules(anchors, sandbox.level, skip_broken=False)
    return League(folder, settings, loading, options, tuple(anchors), sandbox)


def _command_that_asks(folder: Path) -> str:
    return f"khiva-arena league play {shlex.quote(str(folder))} --batches 0"


def way_to_play(league: Path, beacon: str) -> str:
    """Return the command that plays a league. ``beacon``: the command that prints its
    lines; "" for none.
    """
    return f"khiva-arena league play {shlex.quote(str(league))}" + (
        f" --beacon {shlex.quote(beacon)}" if beacon else ""
    )


def remember_maker(folder: Path, say: Say) -> None:
    """Remember that whoever has just made a league agrees to what its settings open, so
    that a service has nobody to ask.
    """
    file = _file_of(folder)
    openings = consent.openings_of(file.settings, {})
    digest = consent.digest_of_file(folder / SETTINGS, file.text, consent.programs(openings, ()))
    consent.remember(folder / SETTINGS, openings, digest, say)


def _options(
    table: object,
    places: Mapping[str, str],
    problems: list[str],
) -> LeagueOptions:
    if not isinstance(table, dict):
        problems.append(f"{places.get('league', SETTINGS)}: league: write it as a table, [league]")
        return LeagueOptions()
    known = LeagueOptions.__struct_fields__
    problems += [
        (
            f"{places.get(f'league.{key}', SETTINGS)}: unknown setting {key!r} of a "
            f"league{meant(key, known)}"
        )
        for key in table
        if key not in known
    ]
    try:
        return msgspec.convert(
            {key: value for key, value in table.items() if key in known}, LeagueOptions
        )
    except msgspec.ValidationError as error:
        text, _, key = str(error).partition(" - at `$.")
        problems.append(
            f"{places.get(f'league.{key[:-1]}', SETTINGS)}: {key[:-1]}: "
            f"{text[:1].lower()}{text[1:]}"
        )
        return LeagueOptions()


def _toml(value: Any) -> str:
    """Return a value as a settings file has it."""
    if value and isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(one)}" for key, one in value.items()) + " }"
    return msgspec.json.encode(value).decode()


def league_text(values: Mapping[str, Any]) -> str:
    """Return the text of a new league's settings file. ``values``: values in place of
    defaults, by setting.
    """
    rows = sorted(
        (row for row in TABLE if row.of_a_league),
        key=lambda row: row.default == {} or row.kind.name == "TABLE",
    )
    values = {"seeds": 1, **values}
    blocks = [block(row, values.get(row.name)) for row in rows if row.name != "trust_bots"]
    hints = get_type_hints(LeagueOptions, include_extras=True)
    own = ["# Settings that only leagues have.\n[league]\n"]
    for key, default in structs.asdict(LeagueOptions()).items():
        value, option = values.get(key, default), hints[key].__metadata__[-1]
        line = (
            f"#{key} = {_toml(option.examples[0])}\n"
            if value in ("", None)
            else f"{key} = {_toml(value)}\n"
        )
        own.append(comment(option.description) + line)
    return "\n".join([HEAD, *blocks, *own]).replace(
        "\nponder =", "\n#ponder ="
    )  # which is the default, and refused in ticks
