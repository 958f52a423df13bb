"""The work of ``khiva-arena merge``: one store out of those of the machines that played
a shard each.
"""

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from khiva_arena.common.text import harmless
from khiva_arena.competition.events.league_batches import way_to_play
from khiva_arena.competition.events.stored import is_league
from khiva_arena.display.terminal.console import say
from khiva_arena.display.terminal.passing import PassingLine
from khiva_arena.extensions.shards.merge import Checks
from khiva_arena.extensions.shards.merge import merge as merge_stores
from khiva_arena.extensions.shards.merge_target import Merged
from khiva_arena.games.registry import handed
from khiva_arena.words import count

SHOWN = 20


def merge(stores: Sequence[Path], out: Path, event: str | None, as_json: bool, **how: Any) -> int:
    """Merge the stores and print the result. Returns the exit code.

    how: the fields of ``Checks``
    """
    line = PassingLine()

    def tell(text: str, *, warning: bool = False) -> None:
        line.clear()
        _say(text, warning=warning)

    try:
        merged = merge_stores(stores, out, tell, Checks(**how), word=event, far=line.say)
    except KeyboardInterrupt:
        line.clear()
        say("interrupted: what was merged stays; the same command goes on")
        raise
    finally:
        line.clear()
    if as_json:
        click.echo(json.dumps(merged.to_dict()))
    else:
        _print(merged)
    _say_next(merged, out)
    return 0 if merged.complete else 1


def _print(result: Merged) -> None:
    click.echo(result.summary)
    for seed, lineup in result.set_aside:
        click.echo(
            f"  set aside, since its machine could not play it: seed {seed} line-up {lineup}"
        )
    for missing in result.missing[:SHOWN]:
        seeds_of = f"shard {missing.shard}, seeds" if missing.shard else "seeds"
        state = "played, but not merged yet; to merge" if missing.played else "to play"
        click.echo(harmless(f"  missing: {seeds_of} {missing.seeds}; {state}: {missing.command}"))
    if len(result.missing) > SHOWN:
        click.echo(f"  and {len(result.missing) - SHOWN} more; --json lists all")


def _say_next(result: Merged, out: Path) -> None:
    """Say what is to be done next, and if the event is not complete, that it is not:
    the exit code is 1 then.
    """
    folder, in_league = shlex.quote(str(out)), is_league(out)
    way = way_to_play(out) if in_league else ""
    if not result.complete:
        matches = count(result.planned - result.recorded, "match is", "matches are")
        it = f"it, too; or `{way}` plays and ends it" if in_league else f"it into {folder}, too"
        _say(f"not complete: {matches} missing; next: play what is missing, then merge {it}")
    elif in_league:
        _say(f"next: `{way}` ends the batch")
    else:
        game = "".join(f" --game {shlex.quote(source.word)}" for source in handed.values())
        _say(f"next: khiva-arena standings {folder}, khiva-arena verify {folder}{game}")


def _say(text: str, *, warning: bool = False) -> None:
    say(harmless(text), warning=warning)
