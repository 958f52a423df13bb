"""Bots that are sent to the workers of a cluster: with a payload, for an interpreter,
and with names that cannot be sent.
"""

from hashlib import sha256
from pathlib import Path

import odd_names
import payload_bots
import pytest
from cases import cases
from interpreted_bots import LINE, OTHER, TAKEN, folder
from interpreted_bots import installed as installed
from wording import pattern, sentence

from khiva_arena.bots.sandbox.level import Level
from khiva_arena.entrants import interpreters, only_modules
from khiva_arena.entrants.bots import load
from khiva_arena.errors import ConfigError, StagingError
from khiva_arena.extensions.cluster import bot_transfer

pytestmark = pytest.mark.slow


def test_a_worker_must_have_the_interpreter(tmp_path: Path, installed: Path) -> None:
    bot = load(str(folder(tmp_path / "m", LINE)), loading=TAKEN)
    digest = sha256(installed.read_bytes()).hexdigest()
    sent = bot_transfer.pack(bot, (), (), files=True)
    assert bot_transfer.stage_here(sent, Level.TRUSTED).payload
    installed.write_bytes(OTHER)
    interpreters._module.cache_clear()
    with pytest.raises(
        StagingError,
        match=pattern("entrants", "interpreter-pinned", word="echo", digest=digest[:12]),
    ):
        bot_transfer.stage_here(sent, Level.TRUSTED)


@pytest.mark.parametrize("in_ticks", [False, True])
def test_a_worker_of_a_cluster_gets_the_payload(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_ticks: bool
) -> None:
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(tmp_path / "here"))
    one = load(str(payload_bots.folder(tmp_path / "m", b"sound")))
    if in_ticks:
        (one,) = only_modules.only_modules([one], Level.TRUSTED)
    sent = bot_transfer.pack(one, (), (), files=True)
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(tmp_path / "there"))
    assert Path(bot_transfer.stage_here(sent, Level.TRUSTED).payload[0]).read_bytes() == b"sound"


@cases(("name", "shown"), odd_names.NO_TEXT.items())
def test_a_name_that_is_no_text_is_told_before(
    name: bytes, shown: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    bot = load(str(odd_names.folder(tmp_path_factory.mktemp("bot") / "odd", 'run = "true"', name)))
    with pytest.raises(ConfigError) as raised:
        bot_transfer.pack(bot, (), (), files=True)
    assert (
        str(raised.value)
        == f"--bot {bot.asked_as}: {sentence('entrants', 'name-no-utf-8', name=shown)}"
    )
