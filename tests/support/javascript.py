"""The interpreter of JavaScript for tests, built once in this checkout, and bots that
it runs.
"""

import fcntl
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path

from arena import ROOT
from golden import packed
from modules import answers_to
from second_vm import Part
from tools import lacks

from khiva_arena.bots.sandbox.command import Command
from khiva_arena.entrants import bots, staging
from khiva_arena.entrants.archive import PackedContent, stream_of
from khiva_arena.entrants.payloads import HEAD

KIT = ROOT / "bots" / "javascript" / "kit" / "khiva_kit.js"
PROJECT = ROOT / "interpreters"
BUILT = PROJECT / "build" / "javascript.wasm"
RELEASED = ROOT / "khiva_arena" / "bots" / "modules" / "released.toml"
KEY = 0x0123456789ABCDEF
MEMORY = 16 << 20
HELLO = packed({"type": "hello", "protos": [1], "seed": 7}).hex()
SECONDS = 1_200


def build(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the recipe of a copy of interpreters/."""
    command = ["nice", sys.executable, str(project / "build.py"), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)


def released(word: str = "javascript") -> str:
    """The hash that the newest release has."""
    rows = tomllib.loads(RELEASED.read_text())["interpreters"]
    return str([row["maxima"]["16"] for row in rows if row["word"] == word][-1])


@cache
def interpreter(word: str = "javascript") -> bytes:
    """The module, taken from where `make interpreters` leaves it, and built there if it
    is not of the release.
    """
    built = BUILT.with_stem(word)
    built.parent.mkdir(exist_ok=True)
    with open(built.parent / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not built.exists() or sha256(built.read_bytes()).hexdigest() != released(word):
            done = build(PROJECT, word)
            if done.returncode:
                lacks(
                    f"the interpreter of the word {word} cannot be built here: {done.stderr[-500:]}"
                )
        return built.read_bytes()


def payload(files: Mapping[str, bytes], main: str = "main.js") -> bytes:
    """The payload of a bot that begins with a file."""
    return (
        HEAD
        + main.encode()
        + b"\n"
        + stream_of({name: PackedContent(data) for name, data in files.items()})
    )


def ran(code: str, *, ticks: int = 2_000_000_000, key: int = KEY, **others: str) -> Part:
    """Run a file, with other files beside it by their names without ".js", up to the
    answer to the hello.
    """
    files = {f"{name}.js": text.encode() for name, text in {"main": code, **others}.items()}
    orders = [("ask", ticks, HELLO)]
    read = payload(files)
    answers, notes = answers_to(orders, interpreter(), key.to_bytes(8), MEMORY, read)
    return Part(interpreter(), key, MEMORY, orders, answers, notes, read)


def payload_folder(folder: Path, files: Mapping[str, bytes]) -> Path:
    """Write a bot of these files into a folder, as a module and a payload."""
    folder.mkdir()
    (folder / "javascript.wasm").write_bytes(interpreter())
    (folder / "files").write_bytes(payload(files))
    (folder / "bot.toml").write_text(
        f'name = "{folder.name}"\nmodule = "javascript.wasm"\npayload = "files"\n'
    )
    return folder


def shipped_files(name: str) -> dict[str, bytes]:
    """The files of a shipped bot, and its kit."""
    folder = ROOT / "bots" / "javascript" / name
    return {path.name: path.read_bytes() for path in (*folder.glob("*.js"), KIT)}


def stage_shipped(place: Path) -> dict[str, Command]:
    """The commands of the shipped bots that play in ticks, by name."""
    folders = {
        name: payload_folder(place / name, shipped_files(name)) for name in ("greedy", "random")
    }
    return {name: staging.stage(bots.load(str(folder))) for name, folder in folders.items()}
