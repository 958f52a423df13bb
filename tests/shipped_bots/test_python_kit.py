"""The Python kit alone: what its chance is made of, and what its start loads."""

import builtins
import json
import runpy
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

KIT = Path(__file__).parents[2] / "bots" / "python" / "kit" / "khiva_kit.py"
PARTS: dict[str, Any] = {
    "no part": (),
    "a number": (1,),
    "nested values and escapes": (
        7,
        {"b": [1, None, True], "a": {"z": '\u00e9\n"', "y": -(2**53)}},
    ),
    "a float, empty values, a long text": (1.5, [], {}, "x" * 300),
}
# What takes longest among all that a kit could ask for: a start without them takes half
# of the time.
HEAVY = {"argparse", "dataclasses", "hashlib", "inspect", "json", "re", "typing"}


def kit() -> dict[str, Any]:
    return runpy.run_path(str(KIT))


@pytest.mark.parametrize("lacking", [(), ("_json", "_sha2", "_sha256")])
@pytest.mark.parametrize("parts", PARTS.values(), ids=PARTS)
def test_chance_is_the_hash_of_its_parts_as_json(
    parts: tuple[Any, ...], lacking: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *more: Any) -> Any:
        if name in lacking:
            raise ImportError(name)
        return real(name, *more)

    monkeypatch.setattr(builtins, "__import__", without)
    lottery = kit()["Lottery"](*parts)
    secret = sha256(json.dumps(parts, sort_keys=True).encode()).digest()
    assert lottery.secret == secret
    first = int.from_bytes(sha256(secret + bytes(8)).digest()[:8], "big")
    assert lottery.below(2**64) == first


def test_what_json_cannot_hold_is_told() -> None:
    with pytest.raises(TypeError, match="set is not JSON serializable"):
        kit()["Lottery"]({"a": {1}})


@pytest.mark.parametrize(("bot", "asked"), [("random", 2), ("greedy", 1)])
def test_a_start_loads_little(
    staged: Any, framed: Any, conversation: Any, bot: str, asked: int
) -> None:
    """Up to the greeting, and for the random bot a choice by lot."""
    there = staged(f"python/{bot}")
    nothing = _loaded(["-c", ""], there.folder, b"")
    loaded = _loaded(there.argv[1:], there.folder, framed(*conversation[:asked]))
    assert "khiva_kit" in loaded
    assert not (loaded - nothing) & HEAVY


def _loaded(words: list[str], folder: Path, said: bytes) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *words],
        cwd=folder,
        input=said,
        capture_output=True,
        check=True,
    )
    return {
        line.rpartition("|")[2].strip()
        for line in done.stderr.decode().splitlines()
        if line.startswith("import time:")
    }


SPENDS = """
from khiva_spent import play

spent = {"lot": 0}


def choose(decide, match):
    spent["lot"] += 1
    return 0


play("x", choose, spent, "EUR")
"""


@pytest.mark.parametrize("caps", [[], ["later"], ["spent", "later"]])
def test_totals_are_sent_to_an_arena_that_asks_for_them(
    staged: Any, framed: Any, conversation: Any, caps: list[str], tmp_path: Path
) -> None:
    bot = staged("python/random").beside("spends.py", SPENDS, tmp_path)
    (bot.folder / "khiva_spent.py").write_bytes(KIT.with_name("khiva_spent.py").read_bytes())
    hello, *rest = conversation[:3]
    data = framed({**hello, "caps": caps}, *rest)
    greeting, *acts = bot.run(data).messages
    asked = "spent" in caps
    assert greeting == {"type": "hello", "proto": 1, "name": "x"} | (
        {"caps": ["spent"], "currency": "EUR"} if asked else {}
    )
    assert [act.get("spent") for act in acts] == (
        [{"lot": 1}, {"lot": 2}] if asked else [None, None]
    )
    (bot.folder / "spends.py").write_text(SPENDS.replace("+= 1", "+= 0.5"))
    wrong = bot.run(data)
    assert (wrong.code, "want at most 8 names" in wrong.notes) == (0, asked)
    assert [(act["choice"], "spent" in act) for act in wrong.messages[1:]] == [
        (0, False),
        (0, False),
    ], "no choice is lost"
