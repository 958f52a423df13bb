"""Programs in C are built where a compiler is; elsewhere, and after a change of the
source, the arena does without.
"""

import os
import platform
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from levels import ROOT
from tools import lacks, need

from khiva_arena.native import build

NATIVE = ROOT / "khiva_arena" / "native"
EMPTY = sha256(b"").hexdigest()[:16]


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the sources, of which nothing is built yet."""
    need("cc")
    shutil.copy(NATIVE / "launch.c", tmp_path)
    monkeypatch.setattr(build, "HERE", tmp_path)
    build.program.cache_clear()
    yield tmp_path
    build.program.cache_clear()


@pytest.mark.usefixtures("cc")
def test_the_set_up_of_this_checkout_has_built_each_program() -> None:
    """A compiler may be there that cannot build them, as without a static C library;
    where all tools are, it can.
    """
    build.program.cache_clear()
    if missing := [name for name in build.PROGRAMS if not build.program(name)]:
        lacks(
            f"programs in C: set-up has not built {' and '.join(missing)}",
            install="apt install gcc libc6-dev",
        )


def test_a_built_program_is_found_and_not_built_again(room: Path) -> None:
    path = build.build("launch")
    assert build.program("launch") == path
    before = os.stat(path)
    assert build.build("launch") == path
    assert os.stat(path) == before


def test_a_program_of_another_source_is_not_run_and_is_removed_by_the_next_build(
    room: Path,
) -> None:
    old = build.build("launch")
    with (room / "launch.c").open("a") as source:
        source.write("/* changed */\n")
    assert build.program("launch") == ""
    new = build.build("launch")
    assert new != old
    assert sorted(path.name for path in room.iterdir()) == sorted(["launch.c", Path(new).name])


def test_without_sources_the_one_library_of_the_rules_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a bot in a cell sees the package. Of several libraries none is known to be
    right, and programs are not for bots.
    """
    monkeypatch.setattr(build, "HERE", tmp_path)
    answers = []
    for name in ("launch", "rules", "rules"):
        path = tmp_path / f"{name}-{platform.machine()}-{len(answers)}-{EMPTY}"
        path.touch(0o755)
        build.program.cache_clear()
        answers.append((build.program("launch"), build.program("rules")))
    build.program.cache_clear()
    assert answers == [
        ("", ""),
        ("", str(tmp_path / f"rules-{platform.machine()}-1-{EMPTY}")),
        ("", ""),
    ]


@pytest.mark.parametrize(
    "damage",
    [lambda data: data[: len(data) // 2], lambda data: data[:-1] + b"?"],
    ids=["cut", "changed"],
)
def test_a_damaged_program_is_not_taken_and_is_replaced_by_the_next_build(
    room: Path, damage: Callable[[bytes], bytes]
) -> None:
    path = Path(build.build("launch"))
    sound = path.read_bytes()
    path.write_bytes(damage(sound))
    build.program.cache_clear()
    assert build.program("launch") == ""
    assert Path(build.build("launch")).read_bytes() == sound
    build.program.cache_clear()
    assert build.program("launch") == str(path)


@pytest.mark.parametrize(
    "damage",
    [lambda data: data[: len(data) // 2], lambda data: data[:-1] + b"?"],
    ids=["cut", "changed"],
)
def test_a_damaged_library_of_the_rules_is_not_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: Callable[[bytes], bytes]
) -> None:
    """With the sources beside it or, as in a cell, without them."""
    need("cc")
    sound = Path(build.build("rules"))
    for source in (*NATIVE.glob("*.[ch]"), sound):
        shutil.copy(source, tmp_path)
    monkeypatch.setattr(build, "HERE", tmp_path)
    for sources in (True, False):
        if not sources:
            (tmp_path / "rules.c").unlink()
        (tmp_path / sound.name).write_bytes(sound.read_bytes())
        build.program.cache_clear()
        assert build.program("rules") == str(tmp_path / sound.name)
        (tmp_path / sound.name).write_bytes(damage(sound.read_bytes()))
        build.program.cache_clear()
        assert build.program("rules") == ""
    build.program.cache_clear()


@pytest.mark.parametrize("compiler", ["", "no-such-compiler", "false"])
def test_without_a_compiler_nothing_is_built(
    compiler: str, room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", compiler)
    assert build.build("launch") == ""
    assert build.program("launch") == ""
    assert [path.name for path in room.iterdir()] == ["launch.c"]


def test_a_compiler_that_fails_says_why(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (room / "launch.c").write_text("int main(void) { return missing; }\n")
    assert build.build("launch") == ""
    said = capsys.readouterr().err
    assert said.startswith("launch is not built, and the arena is a little slower")
    assert "missing" in said


def test_a_program_needs_no_library_of_the_system(room: Path) -> None:
    """A dynamic program names its interpreter in a segment of type 3."""
    program = Path(build.build("launch")).read_bytes()
    offset, size, count = (
        int.from_bytes(program[at : at + n], "little") for at, n in ((32, 8), (54, 2), (56, 2))
    )
    kinds = {
        int.from_bytes(program[offset + i * size : offset + i * size + 4], "little")
        for i in range(count)
    }
    assert 1 in kinds
    assert 3 not in kinds


@pytest.mark.soak
def test_a_wheel_without_programs_is_for_every_processor(tmp_path: Path) -> None:
    """tests/test_wheel.py has the one with programs."""
    list_files = ["git", "ls-files", "-zco", "--exclude-standard"]
    tracked = subprocess.run(
        list_files, cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    copy = tmp_path / "copy"
    for name in filter(None, tracked.split("\0")):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).exists():
            shutil.copy2(ROOT / name, copy / name)
    words = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(
        words,
        cwd=copy,
        env=os.environ | {"CC": "no-such-compiler"},
        check=True,
        capture_output=True,
        timeout=2 * build.SECONDS,
    )
    (wheel,) = tmp_path.glob("*.whl")
    programs = [
        item for item in zipfile.ZipFile(wheel).infolist() if "/native/launch-" in item.filename
    ]
    assert wheel.name.endswith("-py3-none-any.whl")
    assert programs == []
