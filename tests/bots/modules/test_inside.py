"""What of the arena is inside the interpreter of Python: who changes it needs another
build, and learns it here first.
"""

import sys
import tomllib
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from arena import ROOT

PROJECT = ROOT / "interpreters"


def own_files(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield the files of this checkout from which the module is made."""
    monkeypatch.syspath_prepend(str(PROJECT))
    import library

    monkeypatch.delitem(sys.modules, "library")
    engine = ROOT / "khiva_arena"
    yield from (
        path
        for path in library.files(PROJECT / "sources", engine).values()
        if path.is_relative_to(engine)
    )
    yield from (path for pattern in library.DATA for path in engine.glob(pattern))
    yield from (path for pattern in (*library.IN_C, library.KIT) for path in ROOT.glob(pattern))
    yield from (path for path in (PROJECT / "python").iterdir() if path.is_file())
    yield from (PROJECT / name for name in ("cpython.py", "host.py", "library.py"))


def test_the_released_interpreter_has_the_files_of_now_inside(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    digest = sha256()
    for path in sorted(own_files(monkeypatch)):
        of_file = sha256(path.read_bytes()).hexdigest()
        digest.update(f"{path.relative_to(ROOT).as_posix()} {of_file}\n".encode())
    pinned = tomllib.loads((PROJECT / "pins.toml").read_text())["python"]["inside"]
    assert digest.hexdigest() == pinned, (
        "build it anew as interpreters/README.md says, and put the hash of now into pins.toml"
    )
