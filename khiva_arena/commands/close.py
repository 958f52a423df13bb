"""The work of ``khiva-arena close``: end an event for good that is not over."""

import shlex
from pathlib import Path

from khiva_arena.competition import closing
from khiva_arena.store.db import Store
from khiva_arena.terminal.console import say
from khiva_arena.terminal.question import agreed
from khiva_arena.text import harmless


def close(store: Path, event: str, yes: bool) -> None:
    """Close the event, once the user has agreed."""
    Store.check(store)
    with Store.read(store) as opened:
        row = closing.to_close(opened, event)
        say(harmless(f"event {row.number} ({row.id}): {closing.how_far(opened, row)}"))
        for line in closing.of_a_shard(opened, row):
            say(harmless(line))
    if not agreed("close it, reveal its secrets, and never continue it?", yes):
        say("nothing was changed")
        return
    with Store.write(store) as opened:
        row = closing.to_close(opened, row.id)
        closing.close(opened, row)
        digest = opened.conclusion(row.id)
    say(harmless(f"event {row.number} is closed: run digest {digest}; its secrets are revealed"))
    where = shlex.quote(str(store))
    say(harmless(f"tables leave it out; to see it: khiva-arena standings {where} {row.number}, khiva-arena verify {where}"))
