"""Where else modules run: in other Pythons, and on ARM64, emulated by qemu-user.

``python -m tests.tools modules-elsewhere`` sets all up.

OTHER_PYTHONS: Pythons that have the arena's own dependencies
ARM64: a folder with Debian's Python for ARM64, and versions of the VM beside it, as pip
    puts them there
"""

import os
import sys
from pathlib import Path
from typing import NamedTuple

from tools import need

from khiva_arena.entrants import module_runner

OTHER_PYTHONS = os.environ.get("OTHER_PYTHONS", "").split()
ARM64 = Path(os.environ.get("ARM64", "")).absolute()


class Place(NamedTuple):
    """A machine with a Python, and the VM's library for it.

    words: what starts the Python
    """

    words: tuple[str, ...]
    library: str

    def __str__(self) -> str:
        return f"{self.words[-1]} {self.library}"


def on_arm64() -> list[Place]:
    """A place for each version of the VM."""
    words = ("qemu-aarch64", "-L", str(ARM64), str(ARM64 / "usr" / "bin" / "python3"))
    found = (
        sorted(ARM64.glob("*/wasmtime/linux-aarch64/_libwasmtime.so"))
        if "ARM64" in os.environ
        else []
    )
    return [Place(words, str(library)) for library in found]


def everywhere() -> list[Place]:
    """This Python, the other ones, and ARM64."""
    return [
        *(Place((python,), module_runner.library()) for python in (sys.executable, *OTHER_PYTHONS)),
        *on_arm64(),
    ]


def need_place(place: Place) -> None:
    """An emulator, if the place is emulated."""
    need(place.words[0])
