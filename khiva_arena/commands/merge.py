"""The work of ``khiva-arena merge``: one store out of those of the machines that played a shard each."""

import json
import shlex
from collections.abc import Sequence
from pathlib import Path

import click

from khiva_arena.games.registry import handed
from khiva_arena.shards.merge import Merged
from khiva_arena.shards.merge import merge as merge_stores
from khiva_arena.terminal.console import say
from khiva_arena.terminal.passing import PassingLine
from khiva_arena.text import harmless

SHOWN = 20


def merge(stores: Sequence[Path], out: Path, jobs: int, event: str | None, any_engine: bool, as_json: bool) -> int:
    """Merge the stores and print the result. Returns the exit code."""
    line = PassingLine()

    def tell(text: str, *, warning: bool = False) -> None:
        line.clear()
        _say(text, warning=warning)

    try:
        merged = merge_stores(stores, out, tell, jobs=jobs, any_engine=any_engine, word=event, far=line.say)
    except KeyboardInterrupt:
        line.clear()
        say("interrupted: what was merged stays; the same command goes on")
        raise
    finally:
        line.clear()
    if as_json:
        click.echo(json.dumps(merged.to_dict()))
    else:
        _print(merged, out)
    return 0 if merged.complete else 1


def _print(result: Merged, out: Path) -> None:
    click.echo(result.summary)
    for seed, lineup in result.set_aside:
        click.echo(f"  set aside, since its machine could not play it: seed {seed} line-up {lineup}")
    for missing in result.missing[:SHOWN]:
        seeds_of = f"shard {missing.shard}, seeds" if missing.shard else "seeds"
        state = "played, but not merged yet; to merge" if missing.played else "to play"
        click.echo(harmless(f"  missing: {seeds_of} {missing.seeds}; {state}: {missing.command}"))
    if len(result.missing) > SHOWN:
        click.echo(f"  and {len(result.missing) - SHOWN} more; --json lists all")
    folder = shlex.quote(str(out))
    if result.complete:
        game = "".join(f" --game {shlex.quote(source.word)}" for source in handed.values())
        _say(f"next: khiva-arena standings {folder}, khiva-arena verify {folder}{game}")
    else:
        _say(f"next: play what is missing, then merge it into {folder}, too")


def _say(text: str, *, warning: bool = False) -> None:
    say(harmless(text), warning=warning)
