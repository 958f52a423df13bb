"""The walk of a value through made-up packages, whose stays are counted by hand."""

import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest
from meanings import PACKAGE

sys.path.append(str(Path(__file__).parent))

from walk import main

Walked = Callable[..., tuple[list[str], str]]
START = f"{PACKAGE}/top/start.py:begin:value"
LOW = """
    def take(value):
        print(value)
"""
"""A file below the others."""


@pytest.fixture
def walked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Walked:
    """Return a function that writes files of a package, walks from ``START``, and
    returns the stays and the line of sums.
    """

    def walk(start: str = START, **files: str) -> tuple[list[str], str]:
        for name, text in files.items():
            path = tmp_path / PACKAGE / f"{name.replace('__', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(dedent(text).replace("PACKAGE", PACKAGE))
        main(["--root", str(tmp_path), start])
        *lines, sums = capsys.readouterr().out.splitlines()
        return [" ".join(line.replace(f"{PACKAGE}/", "").split()[1:]) for line in lines], sums

    return walk


def test_a_straight_walk_goes_down_and_never_comes_back(walked: Walked) -> None:
    """Two functions of one file are one stay, and a part with another name is the
    value.
    """
    stays, sums = walked(
        top__start="""
            from PACKAGE.middle.work import work
            def begin(value):
                again(value)
            def again(value):
                work(1, other=value.part)
        """,
        middle__work="""
            from PACKAGE.low.take import take
            def work(number, other):
                for one in other:
                    take(one)
        """,
        low__take=LOW,
    )
    assert stays == [
        "top/start.py begin as value visit 1 level",
        "middle/work.py work as other visit 1 down 1",
        "low/take.py take as value visit 1 down 1",
    ]
    assert sums == "3 stays, 3 files, 0 climbs, 0 returns"


def test_a_call_into_the_file_that_was_left_is_a_climb_and_a_return(walked: Walked) -> None:
    """What the function below returns is the value again; the second call of one
    function enters it and does not walk it.
    """
    stays, sums = walked(
        top__start="""
            from PACKAGE.low.take import changed
            def begin(value):
                new = changed(value)
                finish(new)
                changed(value)
            def finish(value):
                print(value)
        """,
        low__take="""
            def changed(value):
                print(value)
                return value
        """,
    )
    assert [stay.split(" as ")[0] for stay in stays] == [
        "top/start.py begin",
        "low/take.py changed",
        "top/start.py finish",
        "low/take.py changed",
    ]
    assert sums == "4 stays, 2 files, 1 climbs, 2 returns"


def test_a_method_that_reads_what_another_one_put_down_has_a_stay(walked: Walked) -> None:
    """One that reads something else has none."""
    stays, sums = walked(
        top__start="""
            from PACKAGE.low.box import Box
            def begin(value):
                box = Box(1)
                box.fill(value)
                finish(value)
                box.other()
                box.show()
            def finish(value):
                print(value)
        """,
        low__box="""
            class Box:
                def __init__(self, number):
                    self.number = number
                def fill(self, value):
                    self.kept = value
                def other(self):
                    print(self.number)
                def show(self):
                    print(self.kept)
        """,
    )
    assert [stay.partition(" visit")[0] for stay in stays[1:]] == [
        "low/box.py Box.fill as value",
        "top/start.py finish as value",
        "low/box.py Box.show as self.kept",
    ]
    assert sums == "4 stays, 2 files, 1 climbs, 2 returns"


CALLS = {
    "an annotated object": ("one.take(value)", 2),
    "a table": ("TABLE[0](value)", 1),
    "no annotation": ("unknown().take(value)", 1),
    "a protocol": ("protocol.take(value)", 1),
    "an overridden method": ("base.take(value)", 1),
    "two classes": ("either.take(value)", 1),
    "a refusal": ("raise wrong(value)", 1),
}


@pytest.mark.parametrize(("line", "count"), CALLS.values(), ids=CALLS)
def test_a_walk_ends_at_a_call_that_may_mean_several_functions(
    walked: Walked, line: str, count: int
) -> None:
    stays, sums = walked(
        top__start=f"""
            from PACKAGE.low.take import Base, Child, One, Shape, TABLE, Two, unknown, wrong
            def begin(value, protocol: Shape, base: Base, one: One, either: One | Two):
                {line}
        """,
        low__take="""
            from typing import Protocol
            class Shape(Protocol):
                def take(self, value):
                    print(value)
            class Base:
                def take(self, value):
                    print(value)
            class Child(Base):
                def take(self, value):
                    print(value)
            class One:
                def take(self, value):
                    print(value)
            class Two:
                def take(self, value):
                    print(value)
            def wrong(value):
                print(value)
                return ValueError(value)
            def unknown():
                return Base()
            TABLE = [wrong]
        """,
    )
    assert sums == f"{count} stays, {count} files, 0 climbs, 0 returns", stays


HIDDEN = {
    "a global that is set": ("global KEPT\n    KEPT = value", "return KEPT"),
    "a global that is filled": ("KEPT.append(value)", "return KEPT"),
    "a global with a key": ("KEPT['x'] = value", "return KEPT"),
}


@pytest.mark.parametrize(("put", "read"), HIDDEN.values(), ids=HIDDEN)
def test_a_function_that_reads_a_global_with_the_value_has_a_stay(
    walked: Walked, put: str, read: str
) -> None:
    stays, sums = walked(
        top__start="""
            from PACKAGE.low import keep
            def begin(value):
                keep.put(value)
                finish(value)
                keep.read()
            def finish(value):
                print(value)
        """,
        low__keep=f"KEPT = []\ndef put(value):\n    {put}\ndef read():\n    {read}\n",
    )
    assert [stay.partition(" visit")[0] for stay in stays[1:]] == [
        "low/keep.py put as value",
        "top/start.py finish as value",
        "low/keep.py read as KEPT",
    ]
    assert sums == "4 stays, 2 files, 1 climbs, 2 returns"


@pytest.mark.parametrize("inner", ["lambda: value.part", "inner"])
def test_a_call_of_a_closure_with_the_value_is_a_stay(walked: Walked, inner: str) -> None:
    """The function below is handed no value, only a function that has it."""
    stays, sums = walked(
        top__start=f"""
            from PACKAGE.low.call import call
            def begin(value):
                def inner():
                    return value
                call({inner})
        """,
        low__call="""
            def call(function):
                function()
        """,
    )
    assert [stay.split()[0] for stay in stays] == ["top/start.py", "low/call.py", "top/start.py"]
    assert stays[-1].endswith("as value visit 2 up 1")
    assert sums == "3 stays, 2 files, 1 climbs, 1 returns"


def test_a_look_a_text_and_a_comparison_lead_nowhere(walked: Walked) -> None:
    stays, sums = walked(
        top__start="""
            from PACKAGE.low.take import look, take
            def begin(value):
                look(value)
                take(f"of {value}")
                take(value == 1)
        """,
        low__take=LOW + "\n    def look(value):\n        return 1 if value.part else 2\n",
    )
    assert sums == "1 stays, 1 files, 0 climbs, 0 returns", stays


def test_a_start_that_is_not_there_is_refused(
    walked: Walked, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        walked(f"{START}s", top__start="def begin(value): pass")
    assert "no function begin with a parameter values" in capsys.readouterr().err
