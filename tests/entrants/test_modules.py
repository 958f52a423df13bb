"""Bots that are one WebAssembly module: named, built, compiled once where none of their
code runs, and played at every level.
"""

import errno
import json
import os
import platform
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from arena import arena
from disks import fill, small_disk
from levels import EVERY_LEVEL, python_at
from modules import start, wasm
from shared_builds import shared_builds
from tools import lacks, need_module_tools
from wording import sentence

import khiva_arena
from khiva_arena.bots.modules.meter import rewrite
from khiva_arena.bots.modules.meter.bounds import MODULE_BYTES
from khiva_arena.bots.modules.meter.prices import NUMBER
from khiva_arena.bots.sandbox import readable_paths
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level
from khiva_arena.common import shipped
from khiva_arena.entrants import module_runner, modules
from khiva_arena.entrants.bots import Bot, load
from khiva_arena.entrants.staging import stage
from khiva_arena.errors import BotError, ConfigError, StagingError

pytestmark = pytest.mark.slow

NOT_BEGUN = sentence("modules", "not-begin-module")
NO_START = sentence("modules", "no-start")
CUT = sentence("modules", "bytes-end")
GREETS = wasm(start("(call $proc_exit (i32.const 0))"), imports=["proc_exit"])


@pytest.fixture(autouse=True)
def _own_cache(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(open_folder / "cache"))


def folder(place: Path, *lines: str, data: bytes | None = GREETS) -> Path:
    """A bot in a folder, whose bot.toml has these lines."""
    place.mkdir(exist_ok=True)
    (place / "bot.toml").write_text("\n".join(['name = "m"', *lines]))
    if data is not None:
        (place / "bot.wasm").write_bytes(data)
    return place


def module(place: Path, *lines: str, data: bytes | None = GREETS) -> Bot:
    return load(str(folder(place, 'module = "bot.wasm"', *lines, data=data)))


def mistakes(place: Path, *lines: str) -> str:
    with pytest.raises(ConfigError) as caught:
        load(str(folder(place, *lines)))
    return str(caught.value)


def refusal(bot: Bot) -> str:
    """The line for a bot that cannot be staged."""
    with pytest.raises(BotError) as caught:
        stage(bot)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- named ---


def test_a_file_is_a_module_by_its_name_or_its_first_bytes(tmp_path: Path) -> None:
    for name in ("quick.wasm", "quick"):
        (tmp_path / name).write_bytes(GREETS)
        bot = load(name, str(tmp_path))
        assert (bot.name, bot.module, bot.complete, bot.build) == ("quick", name, True, ())
    (tmp_path / "text.wasm").write_text("no module")
    assert load("text.wasm", str(tmp_path)).module == "text.wasm"
    (tmp_path / "other").write_bytes(b"\0as")
    with pytest.raises(ConfigError):
        load("./other", str(tmp_path))


def test_its_bytes_identify_it(tmp_path: Path) -> None:
    path = tmp_path / "bot.wasm"
    path.write_bytes(GREETS)
    first = load(str(path))
    assert load(str(path)).identity == first.identity
    path.write_bytes(wasm(start("")))
    assert load(str(path)).identity != first.identity
    program = load(str(folder(tmp_path / "p", 'run = "./bot.wasm"'))).identity
    assert module(tmp_path / "p").identity != program


def test_a_module_stands_in_the_place_of_run(tmp_path: Path) -> None:
    assert module(tmp_path / "m").module == "bot.wasm"
    assert load(str(folder(tmp_path / "r", 'run = "./bot"'))).module == ""
    place = tmp_path / "w"
    assert sentence("entrants", "module-has-no", key="run") in mistakes(
        place, 'run = "./bot"', 'module = "bot.wasm"'
    )
    assert "run is missing" in mistakes(place)
    assert "module is empty" in mistakes(place, 'module = ""')
    assert sentence("entrants", "must-string", value="module") in mistakes(place, "module = 1")
    assert sentence("entrants", "leads-out-folder-put") in mistakes(place, 'module = "../bot.wasm"')
    assert "an absolute path" in mistakes(place, 'module = "/bot.wasm"')
    assert sentence("entrants", "printable-characters-only", value="module") in mistakes(
        place, 'module = "a\\nb"'
    )


def test_no_runtime_has_the_word_for_modules(tmp_path: Path) -> None:
    said = arena(
        "match",
        "--runtime",
        f"module={tmp_path}",
        "--bot",
        "true",
        "--bot",
        "true",
        cwd=tmp_path,
        code=2,
    ).stderr
    assert sentence("entrants", "arena-s-own", name="module") in said
    assert sentence("entrants", "runtime-not") in mistakes(
        tmp_path / "m", 'run = "{module} bot.wasm"'
    )


# --- compiled ---


def test_it_is_compiled_once_and_again_when_its_code_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs: list[tuple[str, ...]] = []
    work = modules.work
    monkeypatch.setattr(
        modules, "work", lambda job, level: jobs.append(job.words) or work(job, level)
    )
    first, second = (stage(module(tmp_path / name, f'version = "{name}"')) for name in ("a", "b"))
    assert first == second
    assert len(jobs) == 1
    code = code_of(first)
    code.chmod(0o644)
    code.write_bytes(code.read_bytes() + b"\0")
    assert stage(module(tmp_path / "a", 'version = "a"')) == first
    assert len(jobs) == 2
    next(code.parents[1].glob("*.json")).write_text('{"digest": ["x"]}')
    stage(module(tmp_path / "a", 'version = "a"'))
    assert len(jobs) == 3
    home = code.parents[1]
    assert sorted(path.name for path in home.iterdir()) == sorted(
        [code.parent.name, next(home.glob("*.json")).name]
    )


def test_sound_code_stays_where_it_is_when_another_arbiter_compiles_its_module_too(
    tmp_path: Path,
) -> None:
    """An arbiter that just links the code beside a payload, or starts a bot of it,
    finds it at each moment.
    """
    code = code_of(stage(module(tmp_path / "a")))
    first = code.stat().st_ino
    (note,) = code.parents[1].glob("*.json")
    note.unlink()  # as it is for both until one has compiled
    assert code_of(stage(module(tmp_path / "a"))).stat().st_ino == first
    assert note.exists()


def test_a_module_is_compiled_into_a_cache_without_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_paths: object) -> None:
        raise PermissionError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", refused)
    assert code_of(stage(module(tmp_path / "a"))).read_bytes()


def test_code_that_another_meter_made_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Caches of users hold code of earlier versions, whose notes had the number of the
    price list in place of the meter's hash. The number stays.
    """
    before = code_of(stage(module(tmp_path / "a")))
    (note,) = before.parents[1].glob("*.json")
    library = Path(module_runner.library())
    versions = sorted(path.name for path in library.parents[2].glob("wasmtime-*"))
    machine = (str(library.stat().st_size), platform.machine(), modules._processor())
    parts = json.dumps([sha256(GREETS).hexdigest(), str(NUMBER), *versions, *machine]).encode()
    file = (module_runner.FOLDER / "runner" / "vm.py").read_bytes()
    note.rename(note.with_name(f"{sha256(parts + file).hexdigest()}.json"))
    names: list[str] = []
    work = modules.work
    monkeypatch.setattr(
        modules, "work", lambda job, level: names.append(job.name) or work(job, level)
    )
    stage(module(tmp_path / "a"))
    assert names == ["module"]


def test_each_file_of_the_meter_is_in_the_key_of_compiled_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(modules, "FOLDER", tmp_path / "modules")
    rooms = Path(rewrite.__file__).parents[1]
    files = [*(f"meter/{path.name}" for path in (rooms / "meter").glob("*.py")), "runner/vm.py"]
    keys = set()
    for changed in ("", *files):
        shutil.rmtree(tmp_path / "modules", ignore_errors=True)
        shutil.copytree(rooms, tmp_path / "modules")
        if changed:
            with (tmp_path / "modules" / changed).open("a") as file:
                file.write("#\n")
        modules._digest_of_makers.cache_clear()
        keys.add(modules._digest_of_makers())
    modules._digest_of_makers.cache_clear()
    assert len(keys) == len(files) + 1 > 10


def code_of(command: Command) -> Path:
    return Path(command.argv[-2])


def test_a_bot_sees_its_code_and_nothing_of_its_folder(tmp_path: Path) -> None:
    command = stage(module(tmp_path / "m", 'build = "true"'))
    code = code_of(command)
    assert (code.parent.name, command.own) == (command.argv[-1], (str(code.parent),))
    assert [path.name for path in code.parent.iterdir()] == ["code"]
    assert set(command.readable) == {module_runner.library(), str(module_runner.FOLDER)}
    assert stat.S_IMODE(code.stat().st_mode) == 0o444
    assert not any(str(tmp_path) in word or "staged" in word for word in command.argv)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", NOT_BEGUN),
        (b"garbage", NOT_BEGUN),
        (wasm(""), NO_START),
        (GREETS[:-4], CUT),
    ],
)
def test_what_is_no_module_is_said_of_the_bot_in_a_line(
    data: bytes, reason: str, tmp_path: Path
) -> None:
    line = refusal(module(tmp_path / "m", data=data))
    assert line.startswith("m: bot.wasm: ")
    assert reason in line
    assert not list((tmp_path.parent / "cache").glob("compiled/*"))


def test_a_build_that_yields_no_module_is_said(tmp_path: Path) -> None:
    assert "m: its module bot.wasm: No such file" in refusal(
        module(tmp_path / "m", 'build = "true"', data=None)
    )
    (tmp_path / "l").mkdir()
    reasons = {
        "ln -s build.sh bot.wasm": sentence("sandbox", "link-not-followed-here"),
        "ln -s /etc/passwd bot.wasm": sentence(
            "entrants", "leads-link-first-line", name="bot.wasm", encode="/etc/passwd"
        ),
        "mkfifo bot.wasm": "a pipe, not a file",
        "mkdir bot.wasm": "Is a directory",
    }
    for script, reason in reasons.items():
        (tmp_path / "l" / "build.sh").write_text(script)
        assert reason in refusal(module(tmp_path / "l", 'build = "sh build.sh"', data=None))


def heavy(functions: int, squares: int) -> bytes:
    """A module of so many functions, each of which squares a number so often; they take
    the meter and a compiler many seconds.
    """
    body = sized(b"\1\1\x7f" + b"\x20\0\x20\0\x6c\x21\0" * squares + b"\x0b")
    types = b"\1" + sized(b"\1\x60\0\0")
    count = number(functions)
    memory, exports = (
        b"\5" + sized(b"\1\0\1"),
        b"\7" + sized(b"\2" + sized(b"memory") + b"\2\0" + sized(b"_start") + b"\0\0"),
    )
    declared = types + b"\3" + sized(count + b"\0" * functions) + memory + exports
    return b"\0asm\1\0\0\0" + declared + b"\x0a" + sized(count + body * functions)


def sized(data: bytes) -> bytes:
    return number(len(data)) + data


def number(value: int) -> bytes:
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + number(value >> 7)


@pytest.mark.soak
def test_a_compiler_that_a_module_keeps_at_work_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(modules, "TO_COMPILE", replace(modules.TO_COMPILE, cpu=1))
    line = refusal(module(tmp_path / "m", data=heavy(functions=10_000, squares=200)))
    assert sentence("entrants", "not-compiled-within", most="1 s and 2 GiB") in line


def test_code_that_finds_no_room_in_the_cache_is_a_full_disk_and_nobodys_fault(
    open_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = heavy(functions=2_000, squares=5)
    with small_disk(open_folder / "small", "8m") as disk:
        monkeypatch.setenv("KHIVA_ARENA_CACHE", str(disk))
        fill(disk, leave=3 * len(data))
        with pytest.raises(
            StagingError,
            match=r"its disk has [0-9,]+ bytes left: make room, or set KHIVA_ARENA_CACHE",
        ) as caught:
            stage(module(tmp_path / "m", data=data))
    assert getattr(caught.value.__cause__, "errno", None) == errno.ENOSPC


@pytest.mark.parametrize("number", [errno.EDQUOT, errno.EIO, errno.EMFILE, None])
def test_an_error_of_the_machine_that_ends_a_compiler_is_the_cause(
    number: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = (
        sentence("arbiter", "runner-fails") + "code: " + (os.strerror(number) if number else "gone")
    )
    monkeypatch.setattr(modules, "work", lambda *_: (103, said))
    with pytest.raises(StagingError) as caught:
        stage(module(tmp_path / "m"))
    assert getattr(caught.value.__cause__, "errno", None) == number


def test_a_compiler_that_the_machine_kills_lacked_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(modules, "work", lambda *_: (-9, ""))
    with pytest.raises(StagingError) as caught:
        stage(module(tmp_path / "m"))
    assert isinstance(caught.value.__cause__, MemoryError)


def test_without_the_vm_the_line_to_type_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module_runner, "library", lambda: "")
    place = folder(tmp_path / "m", 'module = "bot.wasm"')
    needs = sentence("entrants", "modules-need-vm")
    assert needs.endswith("pip install 'khiva-arena[modules]'")
    said = arena("check", str(place), cwd=tmp_path, code=1)
    assert re.search(
        rf"^  2  FAILED  its build\n.*\n +got: +{re.escape(needs)}$", said.stdout, re.MULTILINE
    )
    assert needs in arena("new", "--module", cwd=tmp_path).stdout
    assert (
        needs
        in arena(
            "match", "--bot", str(place), "--bot", "shipped:python/random", cwd=tmp_path, code=2
        ).stderr
    )
    assert needs in arena("doctor", cwd=tmp_path, code=None).stdout


@pytest.mark.parametrize("compiler", ["clang", "clang++"])
def test_a_missing_compiler_is_named_with_its_package(
    compiler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(program: str, _folder: str) -> None:
        assert program == compiler

    monkeypatch.setattr(readable_paths, "program_path", nothing)
    line = refusal(module(tmp_path / "m", f'build = "{compiler} bot.c"', data=None))
    assert (
        sentence(
            "entrants", "build-needs-not-machine", name="m", job="build", words=f"'{compiler}'"
        )
        in line
    )
    assert line.endswith("apt install clang")


def test_the_most_bytes_of_a_module_are_those_of_the_meter(tmp_path: Path) -> None:
    assert refusal(module(tmp_path / "m", data=bytes(MODULE_BYTES + 1))).endswith(
        f" {MODULE_BYTES:,} bytes"
    )


# --- played ---


@pytest.fixture(scope="module")
def cache_of_all() -> Iterator[str]:
    """A cache that the levels share, so that a language builds its bots once."""
    with tempfile.TemporaryDirectory(
        prefix="khiva-arena-test-", ignore_cleanup_errors=True
    ) as folder:
        os.chmod(folder, 0o755)
        yield folder


@pytest.mark.language
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.xdist_group(name))
        for name, one in shipped.languages().items()
        if one.module
    ],
)
@EVERY_LEVEL
def test_a_module_chooses_as_the_program_of_the_same_sources(
    level: Level,
    name: str,
    cache_of_all: str,
    open_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """In another match at each level. The module is built within the walls of the first
    one that is tried.
    """
    monkeypatch.setenv("KHIVA_ARENA_CACHE", cache_of_all)
    tools = shipped.languages()[name].module
    assert tools
    if shipped.lacks(
        tools
    ):  # a compiler from elsewhere may come first, without the libraries that Debian's has
        monkeypatch.setenv("PATH", f"/usr/bin:{os.environ['PATH']}")
    need_module_tools(name)
    greedy, program = str(open_folder / "greedy"), f"shipped:{name}/greedy"
    arena("new", program, greedy, "--module", cwd=open_folder)
    with shared_builds(tmp_path_factory):
        stage(load(program))
    if python_at(level) != module_runner.runner(module_runner.RUN)[0]:
        lacks(f"at {level} this user's bots may not read {python_at(level)}", may=True)
    one, other = (
        khiva_arena.match(
            bot,
            "shipped:python/greedy",
            seed=str(level),
            isolation=str(level),
            start="60s",
            turn="60s",
        )
        for bot in (greedy, program)
    )
    assert one.record.steps == other.record.steps
    assert one.verdicts == ("ok", "ok")


GROW = """
(func (export "_start")
  (loop $more (br_if $more (i32.ne (memory.grow (i32.const 64)) (i32.const -1))))
  (memory.fill (i32.const 0) (i32.const 7) (i32.mul (memory.size) (i32.const 65536)))
  (call $proc_exit (i32.div_u (memory.size) (i32.const 64))))
"""


@EVERY_LEVEL
def test_memory_ends_at_the_limit_and_nothing_is_killed(level: Level, open_folder: Path) -> None:
    """The module begins with a page, grows by 64 as often as it can, fills all that it
    has, and exits with how often it grew.
    """
    if python_at(level) != module_runner.runner(module_runner.RUN)[0]:
        lacks(f"at {level} this user's bots may not read {python_at(level)}", may=True)
    place = folder(
        open_folder / "grows", 'module = "bot.wasm"', data=wasm(GROW, imports=["proc_exit"])
    )
    words = ["--isolation", str(level), "--limit", "memory=200M", "--trust-bots", "--json"]
    done = arena(
        "match",
        "--bot",
        str(place),
        "--bot",
        "shipped:python/random",
        *words,
        cwd=open_folder,
        code=None,
    )
    assert f"exited with code {((200 - 40) * 16 - 1) // 64}" in done.stdout + done.stderr
