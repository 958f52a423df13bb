"""The work of ``khiva-arena plan``: how many seeds an error or a gap takes, from a
store's own variance.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import click
import msgspec
from msgspec import structs

from khiva_arena.common.text import harmless
from khiva_arena.competition.events.conditions import in_common, pooled
from khiva_arena.competition.events.extending import extends_one
from khiva_arena.competition.events.find import rated_events
from khiva_arena.competition.events.looks import looks_of
from khiva_arena.competition.events.pools import results_of, standings_of, titles
from khiva_arena.competition.events.stored import bare_timetable, refuse_league
from khiva_arena.competition.settings.flags import take_fields
from khiva_arena.competition.settings.settings import MOST
from khiva_arena.display.terminal.console import say
from khiva_arena.display.terminal.tty import table_width
from khiva_arena.errors import ConfigError
from khiva_arena.interface.commands.choices import POWER
from khiva_arena.interface.commands.more_seeds import commands, fewer_line_ups
from khiva_arena.rating.report import plan as plans
from khiva_arena.rating.report import plan_text
from khiva_arena.rating.report.text import paragraphs
from khiva_arena.rating.report.values import Standings
from khiva_arena.records.store.db import EventRow, Store


class Goal(NamedTuple):
    """What more matches are to reach: an error or a gap, of which one is None.

    error: of the ratings, in Elo.
    gap: between two bots, in Elo, that is to be seen.
    power: in what share of cases it is seen; None if that was not given.
    """

    error: float | None
    gap: float | None
    power: float | None


def plan(
    store: Path, event: tuple[str, ...], anchor: str | None, as_json: bool, **flags: Any
) -> None:
    """Print a plan for each pool of events. ``flags``: those of ``Goal``."""
    error, gap, power = take_fields(flags, Goal)
    assert not flags, flags
    if (error is None) == (gap is None):
        raise ConfigError("give --error ELO or --gap ELO, one of the two")
    if power is not None and gap is None:
        raise ConfigError("--power needs --gap; leave it out with --error")
    with Store.read(store) as db:
        refuse_league(db.folder, db)
        tables = [
            (
                members,
                standings_of(
                    members, results_of(db, *members), (anchor,) if anchor else (), say=say
                ),
            )
            for members in pooled(rated_events(db, event, say))
        ]
        shares = {
            row.id: _share(row, len(db.recorded(row.id)))
            for members, _ in tables
            for row in members
        }
    if any(one.sd for _, table in tables for one in table.anchors):
        raise ConfigError("--anchor: a plan needs the anchor exact; leave out :SD")
    answers = []
    for members, table in tables:
        answer = _plan_of(
            _as_extended(members, table), error, gap, POWER if power is None else power
        )
        answers.append((members, table, _with_next(store, members, table, answer, shares)))
    if as_json:
        rows = [
            {**in_common(members), **msgspec.to_builtins(one), "sentence": plan_text.sentence(one)}
            for members, _, one in answers
        ]
        said = " ".join(row["sentence"] for row in rows) or f"no event to plan with in {store}"
        click.echo(json.dumps({"v": 1, "sentence": said, "plans": rows}))
        return
    width = table_width()
    for heading, (_, table, one) in zip(
        titles([members for members, _, _ in answers]), answers, strict=True
    ):
        click.echo("\n".join(paragraphs([heading], width)))
        click.echo(plan_text.to_text(one, table, width))
    if not answers:
        click.echo(harmless(f"no event to plan with in {store}"))


def _as_extended(members: list[EventRow], table: Standings) -> Standings:
    """Return the table with the number of looks that it has once more seeds extend one
    of its events.
    """
    if not extends_one(members):
        return table
    ratings = table.ratings
    widening = structs.replace(ratings.widening, looks=looks_of(members, extended=True))
    ratings = structs.replace(ratings, widening=widening)
    return replace(table, evidence=structs.replace(table.evidence, ratings=ratings))


def _plan_of(table: Standings, error: float | None, gap: float | None, power: float) -> plans.Plan:
    return (
        plans.for_gap(table, gap, power)
        if error is None and gap is not None
        else plans.for_error(table, error or 0.0)
    )


def _share(event: EventRow, recorded: int) -> float:
    """Return the part of an event's seeds that is played, in whole seeds."""
    seeds = event.definition.seeds
    return recorded * seeds // bare_timetable(event).matches / seeds


def _with_next(
    store: Path,
    members: list[EventRow],
    table: Standings,
    answer: plans.Plan,
    shares: Mapping[str, float],
) -> plans.Plan:
    """Return the plan with the commands that play the missing seeds, if any can be
    played. ``shares``: as of ``commands``.
    """
    target = answer.need.seeds if answer.need else 0 if answer.enough else answer.fewest_seeds
    if not answer.blocks or not answer.blocks < target < MOST["seeds"]:
        return answer
    return structs.replace(
        answer,
        extends=extends_one(members),
        next=commands(store, members, target / answer.blocks, shares),
        finishes=extends_one(members) and any(shares[event.id] < 1 for event in members),
        fewer_line_ups=fewer_line_ups(store, members, table.shared_deals, target - answer.blocks),
    )
