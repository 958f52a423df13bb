"""The names of files that a bot brings or its build leaves: those that no archive can
hold are its author's failure, in words.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from arena import arena, bots
from cases import cases
from echo import ECHO
from module_cup import vectors
from odd_names import NO_TEXT, ODD, folder
from wording import sentence

from khiva_arena.bots.modules.meter.maxima import with_memory
from khiva_arena.common.text import file_name
from khiva_arena.competition.playing import trial_starts
from khiva_arena.entrants import interpreters
from khiva_arena.entrants.bots import Bot, load
from khiva_arena.entrants.payloads import packed
from khiva_arena.entrants.runtimes import Interpreted
from khiva_arena.entrants.staging import stage
from khiva_arena.errors import BotError, StagingError
from khiva_arena.records.store.rows import NotPlayed


def test_a_name_is_shown_by_its_bytes() -> None:
    shown = {os.fsdecode(name): text for name, text in NO_TEXT.items()} | {
        "\ud800\\udcff": "\\ud800\\udcff",
        "\u00e9": "\u00e9",
    }
    assert {name: file_name(name) for name in shown} == shown


@cases(("name", "why"), ODD.items())
def test_a_file_that_no_payload_can_hold_is_told_to_its_author(
    name: bytes, why: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = folder(tmp_path_factory.mktemp("bot") / "odd", "", name)
    with pytest.raises(BotError) as raised:
        packed("odd", Interpreted("echo", "main.js"), place, 1 << 20)
    assert str(raised.value) == f"odd: {sentence('entrants', 'no-payload')}{why}"
    assert not isinstance(raised.value, StagingError)


@pytest.mark.slow
def test_a_program_that_leads_to_a_path_of_no_text_is_refused_in_words(tmp_path: Path) -> None:
    build = "printf '#!/\\377/sh\\n' > go; chmod +x go"
    bot = load(str(folder(tmp_path / "odd", 'run = "./go"\nbuild = "sh build.sh"', build=build)))
    with pytest.raises(BotError) as raised:
        stage(bot)
    assert sentence("entrants", "leads-link-first-line", name="go", encode="/\\xff/sh") in str(
        raised.value
    )


def test_folders_too_deep_for_a_path_are_their_author_s_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The path in the cache is too long, and the one in the bot's own folder is not."""
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(tmp_path / ("c" * 250)))
    parts = (4_050 - len(os.fsencode(tmp_path))) // 201
    bot = load(
        str(folder(tmp_path / "deep", 'run = "true"', b"/".join([b"d" * 200] * parts) + b"/a.txt"))
    )
    with pytest.raises(BotError) as raised:
        stage(bot)
    assert str(raised.value) == sentence("entrants", "nested-too-deep", name="deep")
    assert not isinstance(raised.value, StagingError)


@pytest.mark.slow
def test_a_run_leaves_such_a_bot_out_or_ends_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In ticks the files that a build leaves become a payload."""
    for name, module in (
        vectors({"honest": "honest", "late": "late"}) | {"echo": with_memory(ECHO, 16)}
    ).items():
        (tmp_path / f"{name}.wasm").write_bytes(module)
    monkeypatch.setenv(interpreters.FOLDER, str(tmp_path))
    interpreters._module.cache_clear()
    folder(
        tmp_path / "odd",
        'interpreter = "echo main.js"\nbuild = "sh build.sh"',
        build='touch "$(printf "bad\\377")"\n',
    )
    words = (
        "run",
        "--clock",
        "ticks",
        "--seats",
        "2",
        "--seeds",
        "1",
        "--turn",
        "10ms",
        "--bank",
        "0s",
        "--out",
        "out",
    )
    words = (*words, interpreters.FLAG, *bots("honest.wasm", "odd", "late.wasm"))
    why = sentence("entrants", "no-payload") + sentence(
        "entrants", "name-no-utf-8", name="bad\\xff"
    )
    assert f"odd: {why}" in arena(*words, cwd=tmp_path, code=2).stderr
    done = arena(*words, "--skip-broken", cwd=tmp_path)
    assert f"odd is left out: {why}" in done.stderr
    assert "honest" in done.stdout
    assert "odd" not in done.stdout


def test_a_bot_that_cannot_be_sent_is_left_out_where_others_start_it(tmp_path: Path) -> None:
    odd, sound = (
        load(str(folder(tmp_path / name, 'run = "true"', *files)))
        for name, files in (("odd", [b"\xff"]), ("sound", []))
    )
    asked: list[str] = []
    reasons: dict[str, NotPlayed] = {}

    def start(unbroken: Sequence[Bot]) -> Mapping[str, tuple[str, str]]:
        asked.extend(bot.name for bot in unbroken)
        return {}

    trial_starts.start_on_others([odd, sound], start, reasons)
    assert asked == ["sound"]
    assert [(at, reason.line) for at, reason in reasons.items()] == [
        (odd.identity, sentence("entrants", "name-no-utf-8", name="\\xff"))
    ]
