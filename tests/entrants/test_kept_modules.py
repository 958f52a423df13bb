"""Modules in the cache or in a store are compared with their names at each take, and
replaced if they are damaged.
"""

import re
from hashlib import sha256
from pathlib import Path

import pytest
from wording import pattern

from khiva_arena.arbiter import seals
from khiva_arena.common.shipped import MODULE
from khiva_arena.entrants import only_modules, staging
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.manifest import as_module
from khiva_arena.entrants.modules import is_sound
from khiva_arena.errors import BotError, ConfigError, StagingError
from khiva_arena.records.replay.definition import ModuleFile

SOUND = b"\0asm sound"
IDENTITY = sha256(SOUND).hexdigest()
FILE = ModuleFile("module", IDENTITY)
DAMAGE = [b"", SOUND[:-1], SOUND[:-1] + b"D"]
damaged = pytest.mark.parametrize("damage", DAMAGE, ids=["emptied", "cut", "flipped"])


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder."""
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def bot_of(file: Path) -> Bot:
    """Return the bot of an event in ticks that is the sound module, in a file."""
    return Bot(
        "a",
        "1",
        as_module(MODULE),
        (),
        (),
        IDENTITY,
        True,
        ((MODULE, file),),
        "a",
        built_from="0" * 64,
    )


@damaged
def test_a_damaged_copy_in_the_cache_is_replaced(damage: bytes) -> None:
    only_modules.keep("module", SOUND)
    only_modules.kept(FILE).write_bytes(damage)
    assert only_modules.read_from(Path("nowhere"), FILE) is None
    assert only_modules.damaged_copies(FILE) == [only_modules.kept(FILE)]
    only_modules.keep("module", SOUND)
    assert only_modules.kept(FILE).read_bytes() == SOUND


@damaged
def test_a_damaged_copy_is_not_staged_and_is_named(damage: bytes) -> None:
    only_modules.keep("module", SOUND)
    file = only_modules.kept(FILE)
    file.write_bytes(damage)
    with pytest.raises(
        StagingError,
        match=pattern("entrants", "module-damaged", kind="module", file=re.escape(str(file))),
    ):
        staging.stage(bot_of(file))


@damaged
def test_a_damaged_copy_that_was_staged_and_sealed_is_staged_once_more(
    damage: bytes, cache: Path
) -> None:
    only_modules.keep("module", SOUND)
    staged = cache / "staged" / IDENTITY
    staged.mkdir(parents=True)
    (staged / MODULE).write_bytes(damage)
    seals.seal(staged)
    with pytest.raises(
        (BotError, ConfigError)
    ):  # no VM takes these bytes, or there is none; they were staged before
        staging.stage(bot_of(only_modules.kept(FILE)))
    assert is_sound(staged / MODULE, IDENTITY)
