"""Each thing that the meter refuses, by name, in one line."""

import re

import pytest
import wasm_vm
from cases import cases
from refused_modules import BOUNDS, BYTES_MOST, FEATURES, INVALID, padded
from wasm import sized, start, vector
from wording import pattern

from khiva_arena.bots.modules.meter import ModuleRefused, rewritten
from khiva_arena.bots.modules.meter.imports import MODULE, TYPES


def refusal(module: bytes) -> str:
    """The reason why a module is refused."""
    with pytest.raises(ModuleRefused) as caught:
        rewritten(module)
    text = str(caught.value)
    assert text.isprintable()
    return text


@cases("key", [*FEATURES, "bytes", *BOUNDS])
def test_what_has_no_price_or_is_above_a_bound_is_refused_by_name(key: str) -> None:
    of_bytes = {"bytes": ("33,554,433 bytes", padded(BYTES_MOST + 1))} if key == "bytes" else {}
    fragment, module = (FEATURES | BOUNDS | of_bytes)[key]
    text = refusal(module)
    assert re.fullmatch(
        r"(function \d: )?" + pattern("modules", "refused", what=".+", remedy=".+"), text
    )
    assert fragment in text


@cases("key", INVALID)
def test_what_is_not_valid_is_refused_by_name(key: str) -> None:
    fragment, module = INVALID[key]
    text = refusal(module)
    assert re.fullmatch("(function 0: )?" + pattern("modules", "invalid", what=".+"), text)
    assert fragment in text


@cases("key", INVALID)
def test_a_vm_calls_them_invalid_too(key: str) -> None:
    assert not wasm_vm.is_valid(wasm_vm.engine(), INVALID[key][1])


def test_an_import_that_is_not_offered_is_refused_with_those_that_are() -> None:
    offered = f"the arena offers {MODULE} {', '.join(TYPES)}"
    assert refusal(FEATURES["import-path"][1]).endswith(offered)


def test_a_refusal_names_the_function_as_the_name_section_does() -> None:
    names = b"\1" + sized(vector([b"\0" + sized(b"think")]))
    module = start(b"\xfd\0") + b"\0" + sized(sized(b"name") + names)
    assert refusal(module).startswith("function 0 (think): ")
