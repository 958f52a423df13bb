"""Compare the meter with a VM's validator: a module that it takes is valid before and
after, one that it calls invalid is.
"""

import re
from functools import lru_cache
from random import Random
from typing import Any

import random_modules
import wasm_vm
from wording import pattern

from khiva_arena.bots.modules.meter import ModuleRefused, rewritten

EACH = 10
"""So many cases in a row come from one random module, the first of them unchanged."""
INVALID = re.compile("(function .*: )?" + pattern("modules", "invalid", what=".+"))


@lru_cache(maxsize=1)
def unchanged(number: int) -> bytes:
    """The random module of a row of cases, kept until the next row: making it takes
    longer than checking a case.
    """
    return random_modules.module(Random(number))


def module(number: int) -> bytes:
    """The module of a case."""
    base = unchanged(number // EACH)
    return random_modules.mutated(Random(number), base) if number % EACH else base


def outcome(engine: Any, module_: bytes) -> str:
    """Check one module and return what became of it: "taken", "invalid" or
    "refused".
    """
    try:
        wasm = rewritten(module_).wasm
    except ModuleRefused as error:
        text = str(error)
    else:
        assert wasm_vm.is_valid(engine, module_), "taken, although it is not valid"
        assert wasm_vm.is_valid(engine, wasm), "not valid any more when rewritten"
        return "taken"
    assert text.isprintable()
    if not INVALID.fullmatch(text):
        return "refused"
    assert not wasm_vm.is_valid(engine, module_), text
    return "invalid"


def check(engine: Any, number: int) -> str:
    """Check one case; a module that was not changed has to be taken."""
    word = outcome(engine, module(number))
    assert number % EACH or word == "taken", "a random module is refused"
    return word
