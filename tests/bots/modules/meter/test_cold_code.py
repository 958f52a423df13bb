"""What a module pays for cold code: jumps cost more in steps of its code section, and
in equal parts.
"""

from random import Random

import pytest
import random_modules
import wasm_vm
from wasm import joined, sections_of, sized, uleb

from khiva_arena.bots.modules.meter import prices, rewritten
from khiva_arena.bots.modules.runner import seat_in_ticks

LIMIT = 10**6
NUMBERS = [
    (least, price) for (least, _), (_, price) in zip(prices.COLD, prices.COLD[1:], strict=False)
]


def larger(module: bytes, code: int) -> bytes:
    """A module with more functions, whose code is never reached: up to so many bytes of
    code, or a few more.
    """
    sections = dict(sections_of(module))
    count = sections[3][0]
    assert count < 100
    missing = code - len(sections[10])
    several = -(-missing // 10**6)
    body = sized(b"\0\0" + b"\1" * (missing // several) + b"\x0b")
    more = {3: uleb(count + several) + sections[3][1:] + sections[3][1:2] * several}
    return joined(sections | more | {10: uleb(count + several) + sections[10][1:] + body * several})


def test_each_step_costs_more_and_the_last_one_holds_every_module() -> None:
    bytes_, costs = zip(*prices.COLD, strict=True)
    assert (sorted(set(bytes_)), sorted(set(costs))) == (list(bytes_), list(costs))
    assert (bytes_[0], costs[0], bytes_[-1]) == (2**18, 0, 2**25)


@pytest.mark.parametrize(("most", "price"), prices.COLD)
def test_a_step_ends_with_its_bytes(most: int, price: int) -> None:
    assert prices.prices(1, most).cold == price
    assert most == prices.COLD[-1][0] or prices.prices(1, most + 1).cold > price


@pytest.mark.slow
def test_random_modules_pay_for_the_same_jumps_at_each_step() -> None:
    engine, jumps = wasm_vm.engine(), []
    for seed in range(4, 10):
        module = random_modules.module(Random(seed))
        plain = wasm_vm.on_wasmtime(engine, rewritten(module).wasm, LIMIT)
        if plain.end == "":
            for least, price in NUMBERS[:2]:
                cold = wasm_vm.on_wasmtime(
                    engine, rewritten(larger(module, least + 1)).wasm, 100 * LIMIT
                )
                more = (100 * LIMIT - cold.ticks) - (LIMIT - plain.ticks)
                assert (cold.end, cold.memory, more % price) == ("", plain.memory, 0)
                jumps.append(more // price)
    assert jumps[::2] == jumps[1::2]
    assert len({*jumps}) > 2, "too few modules that return"


def test_the_backstop_is_three_times_what_a_tick_lasts() -> None:
    assert pytest.approx(3e-9 * prices.WORST_NANOSECONDS) == seat_in_ticks.BACKSTOP_A_TICK
