"""The commands that play more seeds of what a store holds."""

import json
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from math import ceil
from pathlib import Path
from typing import Any

from khiva_arena.arbiter.resources import DEFAULT
from khiva_arena.cli.settings import DEFAULTS, duration_ms
from khiva_arena.games.registry import get
from khiva_arena.schedule.formats import Format
from khiva_arena.store.db import EventRow

_TIMES = {"turn": "turn_ms", "bank": "bank_ms", "start": "startup_ms"}
_ONE_EACH = ("rounds", "advance")
FOLDER = "DIR"
"""Stands for where a runtime lies: a store knows what it is, and not where."""


def commands(store: Path, members: Sequence[EventRow], times: float) -> list[str]:
    """What plays so many seeds that there are ``times`` as many, at the line-ups of each event; a line for each kind of event.
    None for sequential tests, which cannot be gone on with. The seeds are drawn anew: no ``--seed``."""
    wanted: Counter[str] = Counter()
    lengths: dict[str, set[int]] = {}
    for event in members:
        if event.definition["format"] != Format.SPRT:
            words = shlex.join(_words(event))
            wanted[words] += event.definition["seeds"]
            lengths.setdefault(words, set()).add(event.definition["seeds"])
    lines = []
    for words, seeds in wanted.items():
        more = ceil(seeds * (times - 1) - 1e-9)
        while more in lengths[words]:  # the command of an event that is over goes on with that one
            more += 1
        lines += [f"khiva-arena run {words} --seeds {more} --out {shlex.quote(str(store))}"] if more > 0 else []
    return lines


def _words(event: EventRow) -> Iterator[str]:
    """All that was set, as flags, except the seeds and the store."""
    what = event.definition
    for bot in event.bots:
        yield from ("--bot", bot.asked_as)
    for name in what.get("runtimes", {}):
        yield from ("--runtime", f"{name}={FOLDER}")
    for key in ("game", "format", "policy"):
        if what[key] != DEFAULTS[key]:
            yield from (f"--{key}", what[key])
    yield from ("--seats", str(what["seats"]))
    for key, default in (("copies", 1), ("lineups", None), *((key, None) for key in _ONE_EACH)):
        if what.get(key, default) != default:
            yield from (f"--{key}", str(what[key]))
    for candidate in what.get("candidates", ()):
        yield from ("--candidate", event.bots[candidate].name)
    if what.get("authors_apart"):
        yield "--authors-apart"
    for key, name in _TIMES.items():
        if what["time"][name] != duration_ms(DEFAULTS[key]):
            yield from (f"--{key}", f"{what['time'][name]}ms")
    yield from _maps(what)
    yield from ("--isolation", what["isolation"])
    if not what["ponder"]:
        yield "--no-ponder"


def _maps(what: dict[str, Any]) -> Iterator[str]:
    usual = get(what["game"]).rules({})
    for key, value in what["rules"].items():
        if usual.get(key) != value:
            yield from ("--rule", f"{key}={value if isinstance(value, str) else json.dumps(value, separators=(',', ':'))}")
    for key, most in what["limits"].items():
        if most != getattr(DEFAULT, key):
            yield from ("--limit", f"{key}={most}")
