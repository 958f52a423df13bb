"""Builds of bots that the workers of a run of tests share: each bot is built once, and
so is each library that bots use.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from once import filled

from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level
from khiva_arena.entrants import build, staging
from khiva_arena.entrants.bots import Bot

KEPT = {"GOCACHE": "go", "CARGO_HOME": "cargo"}
"""The variables that name the folder in which a compiler keeps what it has made of
libraries, and the folder's name.
"""


@contextmanager
def shared_builds(factory: pytest.TempPathFactory) -> Iterator[None]:
    """Copy what a bot's build has made from the worker that was first to stage that
    bot.

    At level trusted compilers find the libraries that they have compiled for another
    bot. Within walls they find none, as ever.
    """
    of_the_arena = build.build

    def build_once(bot: Bot, folder: Path, level: Level) -> None:
        def make(place: Path) -> None:
            with (
                _libraries_kept(factory) if level is Level.TRUSTED else pytest.MonkeyPatch.context()
            ):
                of_the_arena(bot, folder, level)
            shutil.copytree(folder, place / "built", symlinks=True)

        shutil.copytree(
            filled(factory, f"build-{bot.identity}", make) / "built",
            folder,
            symlinks=True,
            dirs_exist_ok=True,
        )

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(staging, "build", build_once)
        yield


def libraries(factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return variables for compilers, which name folders that all workers share for
    what is made of libraries.
    """
    folder = filled(factory, "libraries", lambda place: None)
    return {name: str(folder / kept) for name, kept in KEPT.items()}


@contextmanager
def _libraries_kept(factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "Command", partial(Command, environment=libraries(factory)))
        yield
