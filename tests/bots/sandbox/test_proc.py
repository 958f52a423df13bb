"""No file of /proc moves by what others do, and runtimes still find the size of the
machine there.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path

import pytest
from compilers import WAYS, compiled_launcher
from levels import KEEPING, SUPPORT
from tools import need, need_language

from khiva_arena.bots.sandbox import proc_mask
from khiva_arena.bots.sandbox.detect import run_at
from khiva_arena.bots.sandbox.level import Level
from khiva_arena.native import build

pytestmark = pytest.mark.slow

READER = str(SUPPORT / "proc_reader.py")
PYTHON = "/usr/bin/python3"
HELD_SECONDS = 0.03
# As an ordinary path and by links that a process has to itself.
OF_THE_NETWORK = [
    f"/proc/{who}/net/{name}"
    for who in ("self", "thread-self")
    for name in ("unix", "sockstat", "dev", "tcp", "udp")
]


def of_the_machine() -> list[str]:
    """Every file of /proc that is no process's. Reading some of them waits for ever, or
    has a cost: those are root's alone.
    """
    found = []
    for folder, folders, files in os.walk("/proc"):
        if folder == "/proc":
            folders[:] = [
                name
                for name in folders
                if not name.isdigit() and name not in ("self", "thread-self", "net")
            ]
        found += [
            f"{folder}/{name}" for name in files if os.lstat(f"{folder}/{name}").st_mode & 0o004
        ]
    return sorted(found)


@contextmanager
def commotion() -> Iterator[None]:
    """What another bot could do to be noticed, again and again, and as much of it as
    never a moment before: shared and private memory, files, pipes, sockets, processes,
    a core that is often busy.
    """
    over = threading.Event()

    def disturb() -> None:
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            for turn in count():
                with ExitStack() as held:
                    for number in range(50 + turn % 100):
                        held.enter_context(Path(folder, str(number)).open("wb")).write(
                            bytes(100_000)
                        )
                        for end in os.pipe():
                            held.callback(os.close, end)
                        held.enter_context(socket.socket(socket.AF_UNIX))
                    subprocess.run(["sh", "-c", "true | true"], check=True)
                    if over.wait(HELD_SECONDS):
                        return

    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@KEEPING
@WAYS
def test_nothing_there_moves_by_what_others_do(
    level: Level, built: bool, open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Read twice from inside, while others make themselves noticed: what can be read
    says the same.
    """
    launcher = compiled_launcher(open_folder) if built else ""
    monkeypatch.setattr(build, "program", lambda name: launcher)
    names = open_folder / "names"
    own = [
        f"/proc/self/{name}"
        for name in ("cgroup", "limits", "mountinfo", "mounts", "oom_score_adj", "uid_map")
    ]
    names.write_text("\n".join([*of_the_machine(), *OF_THE_NETWORK, *own]))
    names.chmod(0o644)
    with commotion():
        code, out, said = run_at(
            level, (PYTHON, "-I", "-S", READER, str(names)), (READER, str(names))
        )
    assert code == 0, said
    found = json.loads(out)
    assert found["changed"] == []
    assert found["read"] >= 15, "it could read next to nothing: that proves nothing"


@pytest.mark.soak
def test_the_commotion_is_seen_where_nothing_is_hidden(open_folder: Path) -> None:
    names = open_folder / "names"
    names.write_text("\n".join([*of_the_machine(), *OF_THE_NETWORK]))
    with commotion():
        done = subprocess.run(
            [PYTHON, "-I", "-S", READER, str(names)], check=True, capture_output=True, timeout=60
        )
    changed = json.loads(done.stdout)["changed"]
    assert {
        "/proc/meminfo",
        "/proc/stat",
        "/proc/vmstat",
        "/proc/sys/fs/file-nr",
        "/proc/self/net/unix",
    } <= set(changed)


@pytest.mark.parametrize("level", [Level.STRICT, Level.STANDARD], indirect=True)
@WAYS
def test_what_a_newer_kernel_adds_is_hidden(
    level: Level, built: bool, open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that is not known to be still is covered, folder or file."""
    launcher = compiled_launcher(open_folder) if built else ""
    monkeypatch.setattr(build, "program", lambda name: launcher)
    monkeypatch.setattr(proc_mask, "STILL", proc_mask.STILL - {"version", "bus"})
    proc_mask.hidden.cache_clear()
    try:
        _, out, _ = run_at(level, ("/bin/sh", "-c", "cat /proc/version 2>&1; ls /proc/bus | wc -l"))
    finally:
        proc_mask.hidden.cache_clear()
    assert "Permission denied" in out
    assert out.split()[-1] == "0"


OPENS = """
import os, sys
for path in sys.argv[1:]:
    try:
        os.close(os.open(path, os.O_RDONLY))
        print(path)
    except OSError:
        pass
"""


@pytest.mark.usefixtures("basic")
def test_of_the_network_nothing_is_seen_at_basic() -> None:
    """It is the machine's network there: who has which socket, and how many there
    are.
    """
    code, out, said = run_at(
        Level.BASIC,
        (PYTHON, "-I", "-S", "-c", OPENS, *OF_THE_NETWORK, "/proc/net/unix", "/proc/self/task"),
    )
    assert (code, out) == (0, ""), said


def java(level: Level) -> dict[str, str]:
    words = (shutil.which("java") or "", "-XX:+PrintFlagsFinal", "-version")
    code, out, said = run_at(level, words)
    assert code == 0, said
    return dict(re.findall(r" (MaxHeapSize|ActiveProcessorCount|MaxRAM) += (\d+)", out))


@pytest.mark.language
@KEEPING
def test_a_jvm_sizes_itself_by_its_limits(level: Level) -> None:
    need("java")
    gib = 1 << 30
    assert java(level) == {
        "MaxRAM": str(gib),
        "MaxHeapSize": str(gib // 4),
        "ActiveProcessorCount": "1",
    }


@pytest.mark.language
@KEEPING
def test_node_sizes_itself_by_the_machine(level: Level) -> None:
    """Its heap and the memory that it sees are as they are without a sandbox; so are
    the cores, except where they are counted in a file that says how busy they are and
    cannot be replaced.
    """
    need("node")
    code = (
        "const "
        'os=require("os");console.log(os.totalmem(),require("v8").getHeapStatistics().heap_size_limit,os.cpus().length)'
    )
    words = (shutil.which("node") or "", "-e", code)
    outside = run_at(Level.TRUSTED, words)[1].split()
    status, out, said = run_at(level, words)
    assert status == 0, said
    assert out.split()[:2] == outside[:2]
    assert out.split()[2] == ("0" if level is Level.BASIC else outside[2])


CORES = """
class M { static void Main() {
    var kept = new byte[64][];
    for (int i = 0; i < 64; i++) kept[i] = new byte[1 << 20];
    System.Console.WriteLine(System.Environment.ProcessorCount + " cores, " + kept.Length + " MiB");
} }
"""


@pytest.mark.language
@pytest.mark.parametrize("level", [Level.STRICT, Level.STANDARD, Level.BASIC], indirect=True)
def test_go_finds_the_cores_of_the_machine(level: Level) -> None:
    """Its own command says how many, without the variable by which the arena tells it
    otherwise.
    """
    need("go")
    words = (
        "/usr/bin/env",
        "-u",
        "GOMAXPROCS",
        "GODEBUG=schedtrace=1",
        shutil.which("go") or "",
        "version",
    )
    cores: list[str] = []
    for _ in range(20):  # one that ends within a millisecond says nothing
        code, _, said = run_at(level, words)
        assert code == 0, said
        if cores := re.findall(r"gomaxprocs=(\d+)", said):
            break
    assert cores[0] == str(len(os.sched_getaffinity(0)))


@pytest.mark.language
@pytest.mark.xdist_group("csharp")
@pytest.mark.usefixtures("standard", "basic")
def test_mono_finds_the_cores_of_the_machine(open_folder: Path) -> None:
    need_language("csharp")
    (open_folder / "Main.cs").write_text(CORES)
    subprocess.run(["mcs", "-out:program", "Main.cs"], cwd=open_folder, check=True, timeout=300)
    program = str(open_folder / "program")
    for level in (Level.STANDARD, Level.BASIC):
        code, out, said = run_at(level, (shutil.which("mono") or "", program), (program,))
        assert code == 0, said
        assert out.splitlines()[-1] == f"{os.cpu_count()} cores, 64 MiB", level
