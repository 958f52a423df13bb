"""Functions as bots: hosted apart, known by their code, and never more trusted than was
said.
"""

import importlib.util
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from arena import C
from called_bots import Threshold, last, third
from wording import pattern

import khiva_arena
from khiva_arena.errors import BotError, ConfigError
from khiva_arena.interface.api.functions import UNUSED_SECONDS, folder_of
from khiva_arena.interface.api.matches import MatchFault

pytestmark = pytest.mark.slow


def test_a_function_plays_in_a_process_of_its_own(tmp_path: Path) -> None:
    counted = []
    me = os.getpid()

    def choose(decide: Mapping[str, Any], match: Mapping[str, Any]) -> int:
        print("on stdout, which harms nobody")
        counted.append(1)
        if os.getpid() == me:
            raise SystemExit
        return 0

    match = khiva_arena.match(choose, "shipped:python/random", seed="a")
    assert match.bots == ("choose", "random")
    assert match.verdicts == ("ok", "ok")
    assert not counted
    assert all(step.choices.get(0, 0) == 0 for step in match.replay())
    assert match.record.header.isolation == "trusted"
    assert "on stdout" in (match.notes or [""])[0]


def test_a_competition_of_functions_and_shipped_bots(tmp_path: Path) -> None:
    bots = (last, lambda decide, match: 0, "shipped:python/random")
    competition = khiva_arena.run(bots=bots, seats=3, seeds=1, out=tmp_path).wait()
    (table,) = competition.standings()
    assert {row.name for row in table} == {"last", "lambda", "random"}
    assert "isolation trusted" in table.title
    again = khiva_arena.run(bots=bots, seats=3, seeds=1, out=tmp_path)
    assert any("nothing is played" in line for line in again.wait().messages)


def test_others_are_trusted_only_if_that_is_said(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match=pattern("api", "bots-function-plays-isolation", strangers=f"{C}")
    ):
        khiva_arena.run(bots=[last, C], seats=2, seeds=1, out=tmp_path)
    with pytest.raises(
        ConfigError, match=pattern("api", "bots-function-plays-isolation", strangers=f"{C}")
    ):
        khiva_arena.match(last, C)
    with pytest.raises(ConfigError, match=pattern("api", "isolation-function-runs-rights")):
        khiva_arena.run(bots=[last, C], isolation="standard", seats=2, seeds=1, out=tmp_path)
    (tmp_path / "c.toml").write_text('isolation = "basic"\n')
    with pytest.raises(ConfigError, match=pattern("api", "isolation-function-runs-rights")):
        khiva_arena.run(
            tmp_path / "c.toml",
            bots=[last, "shipped:python/random"],
            seats=2,
            seeds=1,
            out=tmp_path,
        )
    assert khiva_arena.match(last, C, trust_bots=True).verdicts == ("ok", "ok")


def test_whatever_can_be_called_can_play() -> None:
    match = khiva_arena.match(Threshold(1), Threshold(1).choose, partial(third, least=1), seed="a")
    assert match.bots == ("Threshold", "choose", "third")
    assert match.verdicts == ("ok", "ok", "ok")
    chosen = [step.choices for step in match.replay()]
    assert [{choices[seat] for choices in chosen if seat in choices} for seat in range(3)] == [
        {1}
    ] * 3


@pytest.mark.soak
def test_a_function_is_checked() -> None:
    assert khiva_arena.check(last, quick=True).passed


def test_what_is_no_bot_is_said() -> None:
    with pytest.raises(
        ConfigError,
        match=(
            r"bots: 5 is neither a word, nor a folder, nor a function choose\(decide, match\), nor "
            r"a Checkpoint"
        ),
    ):
        khiva_arena.match(5, last)  # type: ignore[arg-type]
    with Path(__file__).open("rb") as opened:

        def choose(decide: Mapping[str, Any], match: Mapping[str, Any]) -> int:
            return len(opened.read())

        with pytest.raises(BotError, match="choose: cannot be sent to a process of its own"):
            khiva_arena.match(choose, last)


def test_a_function_that_fails_is_a_bot_s_fault() -> None:
    def choose(decide: Mapping[str, Any], match: Mapping[str, Any]) -> int:
        raise ValueError("none of these")

    found = khiva_arena.match(choose, last)
    assert found.verdicts[0] == "crashed"
    assert f" (2., crashed), {found.bots[1]} " in repr(found)
    struck = replace(
        found, faults=((MatchFault("timeout", 1, ""), MatchFault("timeout", 2, "")), ())
    )
    assert f" (2., 2 x timeout), {found.bots[1]} " in repr(struck)
    assert f" (2., crashed), {found.bots[1]} " in repr(replace(found, faults=None)), (
        "as a bundle has it"
    )
    assert "none of these" in (found.notes or [""])[0]


def test_functions_that_nobody_plays_with_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(tmp_path))
    old, used = folder_of(last), folder_of(partial(third, least=1))
    long_ago = time.time() - UNUSED_SECONDS - 60
    for path in (old, used):
        os.utime(path, (long_ago, long_ago))
    (tmp_path / "functions" / "draft-of-a-kill").mkdir()
    assert (
        folder_of(partial(third, least=1)) == used
    )  # it is used, and what is there is not looked through
    assert old.is_dir()
    new = folder_of(partial(third, least=2))
    assert {path for path in new.parent.iterdir() if path.is_dir()} == {used, new}
    assert folder_of(last) == old
    assert (old / "choose.pkl").is_file()


CELL = """
{blank}
BEST = {best}
def helper(legal):
    return min(BEST, len(legal) - 1)
def choose(decide, match):
    return helper(decide["legal"])
from khiva_arena.interface.api.functions import folder_of
print(folder_of(choose))
"""


def test_equal_code_is_the_same_bot_and_other_code_another(tmp_path: Path) -> None:
    """As a cell that is run again, in another kernel and further down: code from no
    file.
    """

    def made(best: int, blank: str) -> str:
        code = (
            f"exec(compile({CELL.format(best=best, blank=blank)!r}, "
            f"'cell-{blank.count(chr(10))}', 'exec'))"
        )
        words = [sys.executable, "-c", code]
        return subprocess.run(
            words, check=True, capture_output=True, text=True, cwd=tmp_path
        ).stdout

    assert made(1, "") == made(1, "\n\n\n") != made(2, "")


def test_a_package_of_one_s_own_is_part_of_the_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "__init__.py").write_text("")
    (tmp_path / "helper.py").write_text("def first(legal):\n    return 0\n")
    code = "import helper\nfrom functools import partial\nfrom mine.best import BEST\n"
    (tmp_path / "mine" / "bots.py").write_text(
        code + "def choose(decide, match):\n    return BEST + helper.first(decide)\n"
    )
    show = (
        "from khiva_arena.interface.api.functions import folder_of; from functools import "
        "partial; from mine.bots import choose; "
    )
    folders = []
    for best, helper in ((0, 0), (1, 0), (1, 1), (1, 1)):
        (tmp_path / "mine" / "best.py").write_text(f"BEST = {best}\n")
        (tmp_path / "helper.py").write_text(f"def first(legal):\n    return {helper}\n")
        words = [
            sys.executable,
            "-B",
            "-c",
            show + "print(folder_of(choose), folder_of(partial(choose)))",
        ]
        done = subprocess.run(words, check=True, capture_output=True, text=True, cwd=tmp_path)
        folders.append(done.stdout.split())
    assert folders[2] == folders[3]
    assert len({folder for pair in folders[:3] for folder in pair}) == 6


def test_a_function_of_a_module_is_known_by_what_it_says_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # both are of one second and one size
    folders = []
    for index in (0, 1):
        (tmp_path / "mine.py").write_text(
            f"INDEX = {index}\ndef choose(decide, match):\n    return INDEX\n"
        )
        spec = importlib.util.spec_from_file_location("mine", tmp_path / "mine.py")
        assert spec
        assert spec.loader
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "mine", module)
        spec.loader.exec_module(module)
        folders.append(folder_of(module.choose))
    assert folders[0] != folders[1]
    match = khiva_arena.match(module.choose, "shipped:python/random")
    assert match.bots == ("choose", "random")
    assert all(step.choices.get(0, 1) == 1 for step in match.replay())
