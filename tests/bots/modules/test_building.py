"""What the recipe of the interpreters builds and fetches, and what it leaves; nothing
is compiled here.
"""

import io
import runpy
import sys
import urllib.error
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from arena import ROOT

PROJECT = ROOT / "interpreters"


@pytest.fixture
def recipe(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names of build.py, as its functions see them."""
    monkeypatch.syspath_prepend(str(PROJECT))
    names: dict[str, Any] = runpy.run_path(str(PROJECT / "build.py"))["main"].__globals__
    for module in ("cpython", "library"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    return names


def built(
    recipe: dict[str, Any], monkeypatch: pytest.MonkeyPatch, out: Path, *words: str
) -> list[str]:
    """Run the recipe without a compiler. Returns what it was used for: the toolchain,
    and each module that it built.
    """
    done: list[str] = []

    def toolchain(_folder: Path) -> Path:
        done.append("toolchain")
        return Path()

    def build(word: str, _python: Path, _out: Path, *, is_any: bool) -> str:
        done.append(word)
        return "" if is_any else "hash"

    for name, stand_in in {"toolchain": toolchain, "build": build}.items():
        monkeypatch.setitem(recipe, name, stand_in)
    monkeypatch.setattr(sys, "argv", ["build.py", "--out", str(out), *words])
    assert recipe["main"]() == 0
    return done


def test_only_what_is_missing_is_built(
    recipe: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    newest = {word: f"the newest of {word}".encode() for word in recipe["BUILDS"]}
    hashes = {word: ["0" * 64, sha256(data).hexdigest()] for word, data in newest.items()}
    monkeypatch.setitem(recipe, "released", lambda word: hashes[word])
    out = tmp_path / "build"
    assert built(recipe, monkeypatch, out, "--missing") == ["toolchain", "javascript", "python"]
    (out / "licences").mkdir()
    (out / "javascript.wasm").write_bytes(newest["javascript"])
    assert built(recipe, monkeypatch, out, "--missing") == ["toolchain", "python"]
    (out / "python.wasm").write_bytes(b"that of an older release")
    assert built(recipe, monkeypatch, out, "--missing") == ["toolchain", "python"]
    (out / "python.wasm").write_bytes(newest["python"])
    assert built(recipe, monkeypatch, out, "--missing") == []
    assert built(recipe, monkeypatch, out) == ["toolchain", "javascript", "python"]
    assert {file.name: file.read_bytes() for file in out.glob("*.wasm")} == {
        f"{word}.wasm": data for word, data in newest.items()
    }
    (out / "licences").rmdir()  # which the wheel has to carry
    assert built(recipe, monkeypatch, out, "--missing", "python") == ["toolchain", "python"]


def test_sources_of_python_come_from_apt_or_their_authors(
    recipe: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pin, archive, asked = recipe["pins"]("python"), tmp_path / "python.tar.xz", []
    there: dict[str, bytes] = {}

    def urlopen(address: str, timeout: float) -> io.BytesIO:
        asked.append(address)
        if address not in there:
            raise urllib.error.URLError(f"not here, after {timeout} s")
        return io.BytesIO(there[address])

    monkeypatch.setattr(recipe["shutil"], "which", lambda _name: "apt-get")
    monkeypatch.setitem(recipe, "run", lambda *_words: "http://mirror.example/ubuntu/\n" * 2)
    monkeypatch.setattr(recipe["urllib"].request, "urlopen", urlopen)
    with pytest.raises(
        recipe["BuildError"],
        match=r"put https://.*Python-3\.13\.5\.tar\.xz into .*sources as python3",
    ):
        recipe["from_debian"](pin, archive)
    assert asked == [f"http://mirror.example/ubuntu/{pin['debian']}", pin["authors"]]
    there[pin["authors"]] = b"theirs"
    recipe["from_debian"](pin, archive)
    assert archive.read_bytes() == b"theirs"
    there[asked[0]] = b"Debian's"
    recipe["from_debian"](pin, archive)
    assert archive.read_bytes() == b"Debian's"
