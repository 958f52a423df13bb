"""The command lines that play more seeds of a store's events."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec import structs

from khiva_arena.bots.sandbox.limits import DEFAULT
from khiva_arena.common.setting_row import duration_ms
from khiva_arena.competition.events.extending import can_go_on, chain_of, length_of
from khiva_arena.competition.settings.flags import flag_words
from khiva_arena.competition.settings.table import AUTO, TABLE, TIMES
from khiva_arena.errors import GameMissing
from khiva_arena.games.registry import HASHED, get
from khiva_arena.rating.ratings.sharing import SharedDeals
from khiva_arena.rating.report.plan import FewerLineUps
from khiva_arena.rating.schedule.coverings import auto
from khiva_arena.rating.schedule.formats import FORMATS, shapes
from khiva_arena.records.store.db import EventRow

_NEW = ("seed", "seeds")
MOST_OF_THE_MATCHES = 0.9
FOLDER, GAME_FILE = "DIR", "FILE"
"""Words for the folder of a runtime and the file of a game: a store knows their hashes,
but not their places.
"""


def commands(
    store: Path,
    members: Sequence[EventRow],
    times: float,
    shares: Mapping[str, float] = MappingProxyType({}),
) -> list[str]:
    """Return commands that make the seeds ``times`` as many, at the line-ups of each
    event; a line for each kind of event, and before it the command that finishes its
    event if that is not over.

    shares: of each event, by its id, the part of its matches that is recorded; 1 if it
        is not there.

    There is none for sequential tests, which cannot be continued. The seeds are newly
    drawn: no ``--seed``.
    """
    played: dict[str, float] = {}
    lengths: dict[str, set[int]] = {}
    longest: dict[str, _Chain] = {}
    by_id = {event.id: event for event in members}
    for event in members:
        if not FORMATS[event.definition.format].SEQUENTIAL:
            words = shlex.join(_words(event))
            played[words] = played.get(words, 0.0) + event.definition.seeds * shares.get(
                event.id, 1.0
            )
            lengths.setdefault(words, set()).add(event.definition.seeds)
            chain = chain_of(by_id, event)
            if chain[0].definition.seed is None and can_go_on(event):
                last = event.definition.seeds * (1 - shares.get(event.id, 1.0))
                # the command extends the longest chain whose seeds were drawn
                longest[words] = max(longest.get(words, _Chain()), _Chain(length_of(chain), last))
    lines = []
    for words, seeds in played.items():
        missing = seeds * (times - 1) - 1e-9
        if missing <= 0:
            continue
        chain_now = longest.get(words, _Chain())
        wanted = ceil(chain_now.seeds - chain_now.unplayed + missing)
        numbers = [chain_now.seeds] * (chain_now.unplayed > 0)
        if wanted > chain_now.seeds:
            while (
                wanted in lengths[words]
            ):  # the command of an event that is over would play nothing more
                wanted += 1
            numbers.append(wanted)
        lines += [
            f"khiva-arena run {words} --seeds {number} --out {shlex.quote(str(store))}"
            for number in numbers
        ]
    return lines


class _Chain(NamedTuple):
    """An event with those that it extends.

    seeds: of all of them.
    unplayed: how many of these seeds have no results yet.
    """

    seeds: int = 0
    unplayed: float = 0.0


def fewer_line_ups(
    store: Path, members: Sequence[EventRow], deals: SharedDeals | None, missing: int
) -> FewerLineUps | None:
    """Return the seeds by ``--lineups auto`` that give the same errors as so many
    ``missing`` seeds.

    None means that it does not go with these events, or takes more than nine tenths of
    the matches. An event of fewer line-ups is one of its own, in the same table.
    """
    kinds = {
        structs.replace(event.definition, seeds=1, seed=None, extends=None).text: event
        for event in members
    }
    if deals is None or deals.low <= 1 or len(kinds) != 1:
        return None
    [event] = kinds.values()
    if not FORMATS[event.definition.format].AUTO:
        return None
    terms = event.definition.terms()
    total = shapes(terms)[0].line_ups
    few, _ = auto(terms.bots, terms.seats, terms.copies, terms.authors)
    if few >= total:
        return None
    seeds = ceil(
        missing * deals.variance(deals.tables * few / total) / deals.variance(deals.tables)
    )
    if seeds * few > MOST_OF_THE_MATCHES * missing * total:
        return None
    command = (
        f"khiva-arena run {shlex.join(_words(event, lineups=AUTO))} --seeds {seeds} --out "
        f"{shlex.quote(str(store))}"
    )
    return FewerLineUps(few, seeds, seeds * few * terms.seats, command)


def _words(event: EventRow, **replacements: str) -> Iterator[str]:
    """Yield all settings as flags, except the seeds and the store. ``replacements``
    replace the event's; the seats are always named.
    """
    values = _settings_of(event) | replacements
    for row in TABLE:
        if row.name in values and (values[row.name] != row.default or row.name == "seats"):
            yield from flag_words(row, values[row.name])


def _settings_of(event: EventRow) -> dict[str, Any]:
    """Return the settings of an event, as far as its definition has them; times and
    tables only if they are not the default.
    """
    plain = event.definition.plain()
    try:
        usual = get(plain["game"], plain["rules_version"]).rules({})
    except GameMissing:
        usual = {}
    return {
        **{
            row.name: plain[row.name] for row in TABLE if row.name in plain and row.name not in _NEW
        },
        **({"game": GAME_FILE} if HASHED in plain["rules_version"] else {}),
        **({"lineups": AUTO} if event.definition.draw else {}),
        "bots": tuple(bot.asked_as for bot in event.bots),
        "network": tuple(bot.name for bot in event.definition.bots if bot.network),
        "env": tuple(
            f"{bot.name}={variable}" for bot in event.definition.bots for variable in bot.env
        ),
        "candidates": tuple(
            event.bots[candidate].name for candidate in plain.get("candidates", ())
        ),
        **_times(plain["time"]),
        "rules": {key: value for key, value in plain["rules"].items() if usual.get(key) != value},
        "limits": {
            key: limit for key, limit in plain["limits"].items() if limit != getattr(DEFAULT, key)
        },
        "runtimes": dict.fromkeys(plain.get("runtimes", {}), FOLDER),
    }


def _times(defined: Mapping[str, int]) -> dict[str, str]:
    usual = {row.name: duration_ms(row.default) for row in TABLE if row.name in TIMES}
    return {key: f"{defined[name]}ms" for key, name in TIMES.items() if defined[name] != usual[key]}
