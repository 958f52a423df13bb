"""Shipped bots, staged as the arena does it: their files and includes in one folder,
built there, run from there.
"""

import importlib.util
import random
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fake_llm
import msgpack
import pytest
from once import filled
from shared_builds import shared_builds
from tools import need, need_language

from khiva_arena.entrants.bots import load
from khiva_arena.entrants.staging import stage

BOTS = Path(__file__).parents[2] / "bots"
SHARED = ("khiva_kit", "policy", "evaluate", "quick", "search", "rollouts", "deep", "outlook")
SECONDS = 60.0


class Staged:
    """A bot in its own folder. ``run`` plays a scripted conversation with it."""

    def __init__(self, argv: list[str], folder: Path) -> None:
        self.argv = argv
        self.folder = folder

    def run(self, data: bytes, step: int = 0) -> "Said":
        """Send bytes, ``step`` at a time if it is given, then end the input and wait
        for the exit.
        """
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen(self.argv, cwd=self.folder, bufsize=0, **pipes)
        assert process.stdin is not None
        try:
            for at in range(0, len(data), step) if step else ():
                process.stdin.write(data[at : at + step])
            out, notes = process.communicate(None if step else data, SECONDS)
        finally:
            process.kill()
            process.wait()
        return Said(cut(out), notes.decode(), process.returncode)

    def beside(self, name: str, text: str, place: Path) -> "Staged":
        """Return another program beside a copy of the bot's files. Where they are
        staged other workers run the bot, and a folder that has changed is staged anew
        under them.
        """
        folder = place / "copy"
        folder.mkdir()
        for path in self.folder.iterdir():
            if path.is_file():
                shutil.copy(path, folder)
        (folder / name).write_text(text)
        return Staged([self.argv[0], name], folder)


class Said:
    """What a bot wrote: its messages, its notes on stderr, its exit code."""

    def __init__(self, messages: list[Any], notes: str, code: int) -> None:
        self.messages = messages
        self.notes = notes
        self.code = code


def cut(data: bytes) -> list[Any]:
    """The messages in a bot's output; all of it must be whole frames."""
    out = []
    while data:
        (size,) = struct.unpack(">I", data[:4])
        assert len(data) >= 4 + size
        out.append(msgpack.unpackb(data[4 : 4 + size]))
        data = data[4 + size :]
    return out


@pytest.fixture(scope="module", autouse=True)
def _built_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What several tests or workers stage is built by the first of them."""
    with shared_builds(tmp_path_factory):
        yield


@pytest.fixture(scope="module")
def fake() -> Iterator[fake_llm.Fake]:
    """An endpoint of language models."""
    with fake_llm.serving() as server:
        yield server


@pytest.fixture
def cut_frames() -> Callable[[bytes], list[Any]]:
    """What cuts a bot's output into its messages."""
    return cut


def _lay_out(source: Path, language: str) -> Staged:
    """Stage a bot's folder as the arena does."""
    need_language(language)
    command = stage(load(str(source)))
    return Staged(list(command.argv), Path(command.folder))


@pytest.fixture(scope="session")
def lay_out() -> Callable[[Path, str], Staged]:
    """Stage the folder of a bot in some language in another one."""
    return _lay_out


@pytest.fixture(scope="session")
def staged() -> Callable[[str], Staged]:
    """By folder name, such as "python/random"; each is staged once."""
    made: dict[str, Staged] = {}

    def stage(name: str) -> Staged:
        if name not in made:
            made[name] = _lay_out(BOTS / name, name.partition("/")[0])
        return made[name]

    return stage


@pytest.fixture(scope="session")
def sanitized(
    staged: Callable[[str], Staged], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Staged]:
    """By folder name, such as "c/search": a bot in C, built anew so that it ends at the
    first slip with memory or numbers.
    """

    def build(name: str) -> Staged:
        need("cc")
        source = Path(staged(name).folder) / "bot.c"
        strict = ("-std=c99", "-Og", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off")
        checks = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")

        def compiled(folder: Path) -> None:
            subprocess.run(
                ["cc", *strict, *checks, "-o", folder / "bot", source, "-lm"],
                check=True,
                timeout=240,
            )

        folder = filled(tmp_path_factory, f"sanitized-{name.replace('/', '-')}", compiled)
        return Staged([str(folder / "bot")], folder)

    return build


@pytest.fixture(scope="session")
def chooser(staged: Callable[[str], Staged]) -> Callable[[str], Callable[[Any, Any], int]]:
    """The ``choose`` of a Python bot, imported from where it is staged, its helpers
    private to it.
    """

    def load(name: str) -> Callable[[Any, Any], int]:
        folder = str(staged(f"python/{name}").folder)
        kept = {module: sys.modules.pop(module) for module in SHARED if module in sys.modules}
        sys.path.insert(0, folder)
        sys.dont_write_bytecode, before = (
            True,
            sys.dont_write_bytecode,
        )  # or the folder would no longer be as it was staged
        try:
            spec = importlib.util.spec_from_file_location(f"shipped_{name}", f"{folder}/main.py")
            assert spec is not None
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
        finally:
            sys.dont_write_bytecode = before
            sys.path.remove(folder)
            for shared in SHARED:
                sys.modules.pop(shared, None)
            sys.modules.update(kept)
        choose: Callable[[Any, Any], int] = module.choose
        return choose

    return load


@pytest.fixture
def framed() -> Callable[..., bytes]:
    """Frames of messages, one behind the other."""

    def frame(*messages: Any) -> bytes:
        payloads = [msgpack.packb(message) for message in messages]
        return b"".join(struct.pack(">I", len(payload)) + payload for payload in payloads)

    return frame


@pytest.fixture
def conversation() -> list[dict[str, Any]]:
    """An arbiter's side of a match of no game in particular: 40 decisions of changing
    size, a fault, an unknown message.
    """
    lots = random.Random(1)
    hello = {
        "type": "hello",
        "protos": [1],
        "caps": [],
        "game": "any",
        "rules": {},
        "rules_version": "1",
        "match": "m",
    }
    hello |= {
        "seat": 1,
        "seats": 3,
        "seed": 2**53 - 1,
        "time": {"startup_ms": 1, "turn_ms": 1, "bank_ms": 1},
        "commit": "00",
    }
    script: list[dict[str, Any]] = [hello]
    for i in range(40):
        legal = [[j] for j in range(lots.choice((2, 3, 20, 300)))]
        view = {
            "turn": i,
            "words": "\u00e9\n" * i,
            "numbers": [2**53 - 1, -(2**53) + 1, -1, 200, None, True],
        }
        script.append(
            {"type": "decide", "req": 2**31 - 20 + i, "kind": "k", "turn_ms": 1, "bank_ms": 1}
        )
        script[-1] |= {"view": view, "events": [{"type": "e", "x": [[]]}] * (i % 3), "legal": legal}
    script.insert(9, {"type": "fault", "code": "timeout", "detail": "no answer came", "strikes": 1})
    script.insert(17, {"type": "later", "req": 5, "data": {"a": []}})
    script.append({"type": "end", "reason": "over", "ranks": [1, 2, 3], "scores": [3, 2, -1]})
    return script
