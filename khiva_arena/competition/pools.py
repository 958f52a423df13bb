"""Which events make one table, and the rows of it, read from a store: for standings, plan, export and bundle."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from math import isfinite
from typing import Any

from msgspec import to_builtins

from khiva_arena.competition.find import damaged, matches_of, voids_of
from khiva_arena.errors import ConfigError
from khiva_arena.ratings.matches import MatchRow, Measured
from khiva_arena.replay import seeds
from khiva_arena.replay.record import canonical, digest_of
from khiva_arena.report.shapes import InCommon
from khiva_arena.report.standings import AnchorAt, Entrant, Standings, standings
from khiva_arena.result import FAULTS, Verdict
from khiva_arena.sandbox.limits import DEFAULT, WORDS, say
from khiva_arena.store.db import EventRow, SeatRow, Store, VoidRow
from khiva_arena.store.db import MatchRow as StoredMatch
from khiva_arena.text import harmless

MOST_ELO = 10_000
_NUMBER = r"[-+]?\d+(?:\.\d+)?"
_GIVEN = re.compile(rf"(?P<bot>.+)=(?P<elo>{_NUMBER})(?::(?P<sd>\d+(?:\.\d+)?))?")

# --- events ---


def pooled(events: Sequence[EventRow]) -> list[list[EventRow]]:
    """Events by what makes one table: equal game, rules, time, policy, isolation, limits and pondering. Each event once."""
    pools: dict[bytes, list[EventRow]] = {}
    for event in {event.id: event for event in events}.values():
        pools.setdefault(_conditions(event), []).append(event)
    return list(pools.values())


def _conditions(event: EventRow) -> bytes:
    what = event.definition
    plain = what.plain()
    same = [plain[key] for key in ("game", "rules_version", "time", "policy", "isolation", "limits", "ponder")]
    return canonical([*same, digest_of(what.rules)])


def in_common(events: Sequence[EventRow]) -> dict[str, Any]:
    """What the events of one table have in common, and their seat counts, as JSON has it."""
    plain: dict[str, Any] = to_builtins(_common(events))
    return plain


def _common(events: Sequence[EventRow]) -> InCommon:
    what = events[0].definition.plain()
    same = {key: what[key] for key in InCommon.__struct_fields__[2:]}
    return InCommon([event.id for event in events], sorted({event.definition.seats for event in events}), **same)


def title(events: Sequence[EventRow]) -> str:
    """The line above a table: what was played, and under which conditions."""
    what = _common(events)
    seats = ", ".join(map(str, what.seats))
    numbers = ", ".join(str(event.number) for event in events)
    engines = sorted({engine for event in events for engine in event.engines})
    mark = f"; played by khiva-arena {', '.join(engines)}" if len(engines) > 1 else ""
    return harmless(
        f"{what.game} at {seats} seats; turn {what.time['turn_ms']} ms, bank {what.time['bank_ms']} ms, {what.policy}, "
        f"isolation {what.isolation}{_not_default(what)}; event{'s' if len(events) > 1 else ''} {numbers}{mark}"
    )


def _not_default(what: InCommon) -> str:
    """Limits and pondering, as far as they are not the default."""
    limits = [f"{WORDS[key]} {say(key, most)}" for key, most in what.limits.items() if most != getattr(DEFAULT, key)]
    return "".join(f", {text}" for text in (*limits, *(() if what.ponder else ("no pondering",))))


def block_of(event: EventRow, seed: int) -> str:
    """Names the deal, so that events of one run secret share blocks; a hash, since the secret may not be revealed yet."""
    return _hashed(event.secret, seed, event.public)


@lru_cache
def _hashed(secret: bytes, seed: int, public: str | None) -> str:
    return sha256(b"khiva-block-1\0" + seeds.seed_secret(secret, seed, public)).hexdigest()[:16]


# --- standings ---


def entrants_of(events: Sequence[EventRow]) -> list[Entrant]:
    """The bots of events in the order they were first named, each with the name that it has in the first of them."""
    found: dict[str, Entrant] = {}
    for event in events:
        for bot in event.bots:
            found.setdefault(bot.identity, Entrant(bot.identity, bot.name))
    return list(found.values())


def pooled_standings(store: Store, events: Sequence[EventRow], anchors: Sequence[str] = ()) -> Standings:
    """The table of events that make one. ``anchors``: BOT, or BOT=ELO, or BOT=ELO:SD."""
    return standings_of(events, [row for event in events for row in match_rows(store, event)], anchors)


def standings_of(events: Sequence[EventRow], rows: Sequence[MatchRow], anchors: Sequence[str] = ()) -> Standings:
    """The same from their rows, wherever these come from."""
    entrants = entrants_of(events)
    names = {name for bot in entrants for name in (bot.id, bot.name)}
    given = [_given(word, names) for word in anchors]
    plain = [one for one in given if isinstance(one, str)]
    if len(given) > 1 and plain:
        raise ConfigError(f"several anchors need a number each, as --anchor {plain[0]}=0")
    at = [one for one in given if isinstance(one, AnchorAt)]
    return standings(rows, entrants, plain[0] if plain else events[0].definition.anchor, anchors=at)


def _given(word: str, names: set[str]) -> str | AnchorAt:
    """An anchor as the user gave it: the name of a bot, which may have any sign in it, or a name and a number."""
    if word in names or not (parts := _GIVEN.fullmatch(word)):
        return word
    elo, sd = float(parts["elo"]), float(parts["sd"] or 0)
    if not (isfinite(sd) and abs(elo) <= MOST_ELO and sd <= MOST_ELO):
        raise ConfigError(f"--anchor {word}: Elo and its deviation are {MOST_ELO} at most")
    return AnchorAt(parts["bot"], elo, sd)


# --- rows ---


def match_rows(store: Store, event: EventRow) -> list[MatchRow]:
    """What the ratings need of an event: its recorded matches and those that stayed void. One that was void and is still to be
    played again, since the run was interrupted, is neither."""
    rows = voids_of(store, event)
    voids = {row.ordinal: row for row in rows}
    causes: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for row in rows:
        causes[row.ordinal].update(row.causes)
    # version 0.1 did not count page faults, so they are unknown for what it played
    counted = not any(engine.startswith("0.1.") for engine in event.engines)
    identities = [bot.identity for bot in event.bots]
    out = []
    for match in matches_of(store, event):
        void = voids.pop(match.ordinal, None)
        out.append(
            MatchRow(
                event=event.id,
                table=f"{match.seed}/{match.lineup}",
                rotation=match.rotation,
                seed=block_of(event, match.seed),
                bots=tuple([identities[seat.bot] for seat in match.seats]),
                ranks=tuple([seat.rank for seat in match.seats]),
                faults=tuple([_faults(store, event, match, seat) if seat.faults else () for seat in match.seats]),
                voids=void.attempt if void else 0,
                measured=tuple([_measured(seat, causes[match.ordinal], counted) for seat in match.seats]),
            )
        )
    if not voids:
        return out
    from khiva_arena.arbiter.match import VOIDS_MOST  # not above: trio comes with it

    return out + [_set_aside(event, void, causes[void.ordinal]) for void in voids.values() if void.attempt >= VOIDS_MOST]


def _faults(store: Store, event: EventRow, match: StoredMatch, seat: SeatRow) -> tuple[Verdict, ...]:
    for verdict, *_ in seat.faults:
        if verdict not in FAULTS:
            damaged(store, f"match {event.number}/{match.ordinal}", f"{verdict!r} is no fault")
    return tuple(Verdict(verdict) for verdict, *_ in seat.faults)


def _measured(seat: SeatRow, causes: Counter[int], counted: bool) -> Measured:
    return seat.measured._replace(caused=causes[seat.seat], page_faults=seat.major if counted else None)


def _set_aside(event: EventRow, void: VoidRow, causes: Counter[int]) -> MatchRow:
    cpu = dict(enumerate(void.cpu))
    return MatchRow(
        event=event.id,
        table=f"{void.seed}/{void.lineup}",
        rotation=void.ordinal % event.definition.seats,
        seed=block_of(event, void.seed),
        bots=tuple(event.bots[bot].identity for bot in void.bots),
        voids=void.attempt,
        set_aside=True,
        measured=tuple(Measured(cpu.get(seat), caused=causes[seat]) for seat in range(len(void.bots))),
    )
