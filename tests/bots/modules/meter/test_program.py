"""``python -m khiva_arena.bots.modules.meter``, for authors of another meter."""

import subprocess
import sys
from pathlib import Path

from wasm import start

from khiva_arena.bots.modules.meter import rewritten


def meter(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "khiva_arena.bots.modules.meter", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_it_writes_what_the_meter_makes_of_a_module(tmp_path: Path) -> None:
    source, target = tmp_path / "in.wasm", tmp_path / "out.wasm"
    source.write_bytes(start("i32.const 1 drop"))
    done = meter(source, target)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert target.read_bytes() == rewritten(start("i32.const 1 drop")).wasm


def test_it_refuses_in_one_line(tmp_path: Path) -> None:
    source = tmp_path / "in.wasm"
    source.write_bytes(b"text")
    missing = meter(tmp_path / "none.wasm", tmp_path / "out.wasm")
    assert (missing.returncode, missing.stderr.count("\n")) == (2, 1)
    done = meter(source, tmp_path / "out.wasm")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"{source}: ")
    assert not (tmp_path / "out.wasm").exists()


def test_it_says_its_usage() -> None:
    done = meter()
    assert (done.returncode, done.stderr) == (
        2,
        "usage: python -m khiva_arena.bots.modules.meter IN.wasm OUT.wasm" + "\n",
    )


def test_it_needs_nothing_but_python() -> None:
    code = (
        "import sys, khiva_arena.bots.modules.meter; print(sorted({name.split('.')[0] for name "
        "in sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert not {"wasmtime", "trio", "click", "msgpack", "numpy"} & set(eval(done.stdout))
