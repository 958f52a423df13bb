"""Bots that an interpreter runs: how their bot.toml names it, what it is handed, which
module it is, and where that is said.
"""

import json
import re
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest
from arena import arena, bots
from echo import ECHO
from interpreted_bots import LINE, OTHER, TAKEN, folder
from interpreted_bots import installed as installed
from wording import pattern, sentence

from khiva_arena.bots.modules import released
from khiva_arena.bots.modules.meter import ModuleRefused, rewritten
from khiva_arena.bots.modules.meter.maxima import with_memory
from khiva_arena.bots.sandbox.level import Level
from khiva_arena.common import shipped
from khiva_arena.common.manual import where
from khiva_arena.competition.settings.competition import unplayable
from khiva_arena.competition.settings.define import runtimes_of
from khiva_arena.competition.settings.one_match import settings_and_bots
from khiva_arena.competition.settings.settings import settings_from
from khiva_arena.entrants import interpreters, only_modules, staging
from khiva_arena.entrants.bots import Bot, load, pinned
from khiva_arena.entrants.bots_of_an_event import beyond_memory
from khiva_arena.entrants.loading import Bounds, Interpreters, Loading
from khiva_arena.entrants.payloads import HEAD
from khiva_arena.errors import BotError, ConfigError, StagingError
from khiva_arena.interface.api.new_check import parts_of_check
from khiva_arena.interface.commands import new as new_bot
from khiva_arena.interface.commands import new_folder
from khiva_arena.records.replay.definition import ModuleFile

pytestmark = pytest.mark.slow

WIDE = re.sub(rb"\x05\x05\x01\x01.\x80\x02", b"\x05\x06\x01\x01\x80\x01\x80\x02", OTHER, count=1)
"""Another one: it begins with 128 pages, so 4 MiB are too few for it."""


def played(bot: Bot) -> Bot:
    """The bot as it plays in an event in ticks."""
    (one,) = only_modules.only_modules([bot], Level.TRUSTED)
    return one


def payload(bot: Bot) -> bytes:
    return only_modules.kept(ModuleFile("payload", played(bot).parts[1])).read_bytes()


# --- named ---


@pytest.mark.parametrize(
    ("lines", "mistake"),
    [
        ((LINE, 'module = "bot.wasm"'), sentence("entrants", "module-has-no", key="interpreter")),
        ((LINE, 'payload = "weights.bin"'), sentence("entrants", "payload-alone")),
        (('run = "node main.js"', "memory = 4"), sentence("entrants", "memory-of-interpreter")),
        ((LINE, "memory = 5"), sentence("entrants", "memory-of-interpreter")),
        ((LINE, "memory = 16.0"), sentence("entrants", "memory-of-interpreter")),
        (('interpreter = "echo"',), sentence("entrants", "interpreter-word-and-file")),
        (
            ('interpreter = "echo main.js --fast"',),
            sentence("entrants", "interpreter-word-and-file"),
        ),
        (('interpreter = "../echo main.js"',), sentence("entrants", "interpreter-word-and-file")),
        (('interpreter = "echo ../main.js"',), sentence("entrants", "leads-out-folder-put")),
        (("interpreter = 3",), sentence("entrants", "must-string", value="interpreter")),
        (("memory = 4",), "run is missing"),
    ],
)
def test_an_interpreter_is_a_word_and_a_file_of_the_folder(
    tmp_path: Path, lines: tuple[str, ...], mistake: str
) -> None:
    with pytest.raises(ConfigError, match=re.escape(mistake)):
        load(str(folder(tmp_path / "m", *lines)))


def test_a_run_line_counts_by_the_wall_clock_and_an_interpreter_in_ticks(tmp_path: Path) -> None:
    bot = load(str(folder(tmp_path / "m", 'run = "sh main.js"', LINE)), loading=TAKEN)
    assert not bot.module
    assert staging.stage(bot).argv == ("sh", "main.js")
    assert played(bot).built_from == bot.identity
    assert staging.stage(bot.in_ticks).module


def test_the_words_of_an_interpreter_are_part_of_the_identity(tmp_path: Path) -> None:
    """Its files do not hold the bot.toml here, so nothing else could tell these bots
    apart.
    """
    lines = (LINE, 'files = ["*.js"]')
    of = [
        load(str(folder(tmp_path / f"bot{number}", *more, **{"other.js": ""}))).identity
        for number, more in enumerate(
            [
                lines,
                (*lines, "memory = 4"),
                ('interpreter = "echo other.js"', lines[1]),
                ('run = "node main.js"', *lines),
                ('run = "node main.js"', lines[1]),
            ]
        )
    ]
    assert len(set(of)) == len(of)


def test_a_new_bot_has_the_interpreter_of_its_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    language = new_folder.language_of("javascript")
    raw = new_folder.tomllib.loads((language.folder / "random" / "bot.toml").read_text()) | {
        "interpreter": "echo main.js",
        "memory": 4,
    }
    monkeypatch.setattr(new_folder.tomllib, "loads", lambda text: raw)
    new_folder.make(language, tmp_path / "new")
    monkeypatch.undo()
    interpreted = load(str(tmp_path / "new")).interpreted
    assert interpreted is not None
    assert (interpreted.word, interpreted.main, interpreted.memory) == ("echo", "main.js", 4)


# --- the payload ---


def test_a_payload_is_the_file_to_run_and_an_archive_of_all_files(tmp_path: Path) -> None:
    build = (
        "build = \"sh -c 'mkdir -p __pycache__ made; printf 3 > made/c.js; printf x > "
        "__pycache__/d; printf x > .e'\""
    )
    place = folder(
        tmp_path / "m",
        'interpreter = "echo ./main.js"',
        build,
        'files = ["*.js", "a/*"]',
        **{"b.js": "2", "a/z.js": "1"},
    )
    (place / "b.js").chmod(0o755)
    files = {"a/z.js": "1", "b.js": "2", "made/c.js": "3", "main.js": "one"}
    head = msgspec.msgpack.encode([[name, len(text), False] for name, text in files.items()])
    stream = (
        b"khiva-bot-files-1\n"
        + len(head).to_bytes(4, "big")
        + head
        + "".join(files.values()).encode()
    )
    assert payload(load(str(place), loading=TAKEN)) == b"khiva-interpreted-1\nmain.js\n" + stream


def refusal(bot: Bot) -> str:
    with pytest.raises(BotError) as caught:
        staging.stage(bot)
    return str(caught.value)


def test_what_can_be_no_payload_is_told_when_its_bot_is_built(tmp_path: Path) -> None:
    lost = load(str(folder(tmp_path / "lost", 'interpreter = "echo other.js"')))
    assert "its interpreter runs other.js, which is not among its files" in refusal(lost)
    odd = load(str(folder(tmp_path / "odd", LINE, **{"a&b.js": ""})))
    assert sentence("entrants", "no-payload") in refusal(odd)
    small = Loading(Bounds(payload_size=1_024))
    grows = "build = \"sh -c 'head -c 600 /dev/zero > a.js; head -c 600 /dev/zero > b.js'\""
    many = load(str(folder(tmp_path / "many", LINE, grows)), loading=small)
    assert "its files have more than 1,024 bytes, so they are no payload" in refusal(many)
    large = load(str(folder(tmp_path / "large", LINE, grows.replace("600", "2000"))), loading=small)
    assert sentence("sandbox", "longer-bytes", most="1,024") in refusal(large)
    link = "build = \"sh -c 'ln -s /etc/passwd x.js'\""
    assert "x.js" in refusal(load(str(folder(tmp_path / "link", LINE, link))))


def test_a_payload_above_its_bound_is_refused_when_its_bot_is_named(tmp_path: Path) -> None:
    place = folder(tmp_path / "m", LINE, **{"a.js": "1" * 600, "b.js": "1" * 600})
    with pytest.raises(
        ConfigError,
        match=pattern(
            "entrants", "payload-above-bound", what="its files,.*", size="[0-9,]+", most="1,024"
        ),
    ):
        load(str(place), loading=Loading(Bounds(payload_size=1_024)))
    both = folder(tmp_path / "both", LINE, 'run = "./main.js"', **{"long.js": "x" * 2_000})
    with pytest.raises(
        ConfigError, match="take the line interpreter out and play by the wall clock"
    ):
        load(str(both), loading=Loading(Bounds(payload_size=1_024)))
    assert load(str(place), loading=Loading(Bounds(payload_size=2_048)))


@pytest.mark.parametrize(
    "made", ["mkdir .payload", "ln -s main.js .payload", "printf x > .payload"]
)
def test_a_build_cannot_write_its_payload(tmp_path: Path, made: str) -> None:
    bot = load(str(folder(tmp_path / "m", LINE, f"build = \"sh -c '{made}'\"")), loading=TAKEN)
    assert payload(bot).startswith(HEAD)


# --- the module ---


def test_another_maximum_changes_no_other_byte() -> None:
    sizes = {most: with_memory(ECHO, most) for most in (4, 16, 64)}
    assert {most: rewritten(module).pages for most, module in sizes.items()} == {
        4: 64,
        16: 256,
        64: 1_024,
    }
    assert with_memory(sizes[4], 64) == sizes[64] == with_memory(sizes[64], 64)
    assert sizes[16].replace(b"\1\1\1\x80\2", b"") == sizes[64].replace(b"\1\1\1\x80\x08", b"")
    assert with_memory(sizes[16] + b"\0\2\1x", 16) == sizes[16] + b"\0\2\1x"


def test_a_module_that_begins_with_more_memory_is_refused() -> None:
    with pytest.raises(
        ModuleRefused, match=pattern("modules", "more-pages-than-maximum", pages="100", mib="4")
    ):
        with_memory(with_memory(ECHO, 16).replace(b"\5\5\1\1\1\x80\2", b"\5\5\1\1\x64\x80\2"), 4)


def test_memory_and_module_are_those_of_the_word(tmp_path: Path) -> None:
    four = played(load(str(folder(tmp_path / "four", LINE, "memory = 4")), loading=TAKEN))
    usual = played(load(str(folder(tmp_path / "usual", LINE)), loading=TAKEN))
    assert (four.parts[0], usual.parts[0]) == tuple(
        sha256(with_memory(ECHO, most)).hexdigest() for most in (4, 16)
    )


def test_memory_that_is_less_than_what_it_begins_with_is_told_with_the_line_to_change(
    tmp_path: Path, installed: Path
) -> None:
    installed.write_bytes(WIDE)
    interpreters._module.cache_clear()
    bot = load(str(folder(tmp_path / "m", LINE, "memory = 4")), loading=TAKEN)
    with pytest.raises(ConfigError) as caught:
        played(bot)
    assert str(caught.value) == "m: " + (
        "echo begins with more than 4 MiB of memory: make the line memory = 4 of its "
        "bot.toml memory = 16, or take it out"
    )


def test_an_event_that_leaves_it_too_little_memory_refuses_the_bot_beforehand(
    tmp_path: Path,
) -> None:
    """It would find less than its bot.toml says, and pay for each load as if it had
    all.
    """
    words = [
        str(folder(tmp_path / name, LINE, *more))
        for name, more in (("usual", ()), ("large", ("memory = 64",)))
    ]
    loaded = [load(word, loading=TAKEN) for word in words]
    said = [
        sentence(
            "entrants", "interpreter-memory", bot=words[0], mib=16, limit=55, left=15, enough=56
        )
    ]
    less = sentence("entrants", "interpreter-memory-less")
    said.append(
        sentence(
            "entrants", "interpreter-memory", bot=words[1], mib=64, limit=55, left=15, enough=104
        )
        + less
    )
    assert beyond_memory(loaded, 55 << 20) == said
    assert [len(beyond_memory(loaded, mib << 20)) for mib in (16, 40, 56, 103, 104)] == [
        2,
        2,
        1,
        1,
        0,
    ]
    values = {
        "bots": words,
        "clock": "ticks",
        "unreleased_interpreters": True,
        "limits": {"memory": 55 << 20},
    }
    assert unplayable([settings_from({**values, "seats": 2})], loaded) == said
    with pytest.raises(ConfigError) as caught:
        settings_and_bots(values)
    assert list(caught.value.problems) == said


def test_an_interpreter_that_is_not_installed_is_named_with_what_installs_it(
    tmp_path: Path, installed: Path
) -> None:
    installed.unlink()
    bot = load(str(folder(tmp_path / "m", LINE)), loading=TAKEN)
    with pytest.raises(ConfigError, match="echo: this interpreter is not installed: "):
        played(bot)
    installed.write_bytes(b"no module")
    with pytest.raises(ConfigError, match=r"echo: .*echo\.wasm: not valid WebAssembly"):
        played(bot)


def test_one_that_no_release_has_is_taken_by_a_flag_alone(tmp_path: Path, installed: Path) -> None:
    folder(tmp_path / "one", LINE)
    folder(tmp_path / "two", LINE, **{"main.js": "two"})
    words = (
        "run",
        "--clock",
        "ticks",
        "--seats",
        "2",
        "--seeds",
        "1",
        "--seed",
        "a",
        *bots("one", "two"),
        "--out",
        "cup",
    )
    digest = sha256(installed.read_bytes()).hexdigest()[:12]
    said = arena(*words, cwd=tmp_path, code=2).stderr
    assert re.search(
        pattern("entrants", "interpreter-unreleased", word="echo", place=".*", digest=digest), said
    )
    arena(*words, interpreters.FLAG, cwd=tmp_path)
    for command in ("show", "verify"):
        assert (
            f"2 bots in {released.UNKNOWN}: one, two\n"
            in arena(command, "cup", cwd=tmp_path).stdout
        )
    report = json.loads(arena("verify", "cup", "--json", cwd=tmp_path).stdout)["events"][0]
    assert report["interpreters"] == {released.UNKNOWN: ["one", "two"]}


def test_one_of_a_release_is_said_to_be_one(
    tmp_path: Path,
    installed: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    digest = sha256(installed.read_bytes()).hexdigest()
    table = {digest: released.Released("echo", "a parrot 0.1")}
    monkeypatch.setattr(released, "released", lambda: table)
    monkeypatch.setattr(interpreters, "released", lambda: table)
    assert played(load(str(folder(tmp_path / "m", LINE)))).parts[0] == digest
    assert released.described(digest) == "echo (a parrot 0.1, released)"
    assert released.lines_of(
        released.by_interpreter([("m", digest), ("n", "0" * 64), ("o", digest)])
    ) == [
        "2 bots in echo (a parrot 0.1, released): m, o",
        f"1 bot in {released.UNKNOWN}: n",
    ]


def test_the_table_of_releases_is_sound() -> None:
    for digest, one in released.released().items():
        assert re.fullmatch("[0-9a-f]{64}", digest)
        assert one.word in interpreters.WORDS
    rows = released.tomllib.loads(
        Path(released.__file__).with_name("released.toml").read_text()
    ).get("interpreters", [])
    maxima = {
        "javascript": {"4", "16", "64"},
        "python": {"16", "64"},
    }  # Python begins with more than 4
    assert all({*row["maxima"]} == maxima[row["word"]] for row in rows)


def test_a_pinned_one_may_begin_with_more_than_the_least_maximum(
    tmp_path: Path, installed: Path
) -> None:
    installed.write_bytes(WIDE)
    interpreters._module.cache_clear()
    bot = load(str(folder(tmp_path / "m", LINE)), loading=TAKEN)
    again = played(
        pinned(bot, Interpreters({"echo": interpreters.pin_of("echo")}, unreleased=True))
    )
    assert again.parts[0] == sha256(WIDE).hexdigest()


def test_a_pinned_one_is_found_by_its_hash_though_another_is_installed(
    tmp_path: Path, installed: Path
) -> None:
    bot = load(str(folder(tmp_path / "m", LINE, "memory = 4")), loading=TAKEN)
    then = played(bot)
    installed.write_bytes(OTHER)
    interpreters._module.cache_clear()
    assert played(bot).parts[0] == sha256(with_memory(OTHER, 4)).hexdigest()
    for digest in (then.parts[0], sha256(with_memory(OTHER, 16)).hexdigest()):  # of any maximum
        again = played(pinned(bot, Interpreters({"echo": digest}, unreleased=True)))
        assert (again.parts == then.parts) == (digest == then.parts[0])
    with pytest.raises(
        StagingError, match=pattern("entrants", "interpreter-pinned", word="echo", digest="0" * 12)
    ):
        played(pinned(bot, Interpreters({"echo": "0" * 64}, unreleased=True)))
    with pytest.raises(
        ConfigError, match="interpreter echo: this league pins no such interpreter; it has none"
    ):
        pinned(bot, Interpreters({}))


# --- by the wall clock ---


def test_by_the_wall_clock_it_runs_in_the_interpreter_if_it_has_no_run_line(tmp_path: Path) -> None:
    """Its notes are its payload."""
    for name in ("one", "two"):
        folder(tmp_path / name, LINE, **{"main.js": name})
    words = (
        "match",
        *bots("one", "two"),
        "--seed",
        "a",
        "--isolation",
        "trusted",
        "--notes",
        interpreters.FLAG,
    )
    said = arena(*words, cwd=tmp_path).stdout
    assert "forfeit" not in said
    for name in ("one", "two"):
        assert re.search(rf"\n  khiva-interpreted-1\n  main.js\n(?:  .*\n)*  .*{name}\n", said)


def test_a_definition_by_the_wall_clock_names_the_interpreter(
    tmp_path: Path, installed: Path
) -> None:
    bot = load(str(folder(tmp_path / "m", LINE)), loading=TAKEN)
    digest = sha256(installed.read_bytes()).hexdigest()
    assert {name: one.program for name, one in runtimes_of([bot]).items()} == {
        "echo 16 MiB": digest
    }


# --- where the program of `run` is not here ---


def wordy(place: Path) -> Path:
    return folder(place, 'run = "no-such-node main.js"', LINE)


def test_a_check_takes_the_interpreter_where_the_program_of_run_is_not_here(
    tmp_path: Path, installed: Path
) -> None:
    bot = str(wordy(tmp_path / "m"))
    lines: list[str] = []
    settings = {"unreleased_interpreters": True}
    checked = parts_of_check(bot, ("khiva",), settings, lines.append).bot
    assert checked.is_interpreted
    assert lines == [sentence("check", "checked-as-in-ticks", program="no-such-node", bot="m")]
    installed.unlink()
    assert not parts_of_check(bot, ("khiva",), settings).bot.is_interpreted, (
        "what is missing is said by the first step"
    )


def test_a_check_takes_run_where_its_program_is_here(tmp_path: Path) -> None:
    bot = folder(tmp_path / "m", 'run = "sh main.js"', LINE)
    assert not parts_of_check(
        str(bot), ("khiva",), {"unreleased_interpreters": True}
    ).bot.is_interpreted


@pytest.mark.parametrize(
    "word",
    [
        word
        for word in shipped.bots()
        if word.startswith(("shipped:python/", "shipped:javascript/"))
    ],
)
def test_a_shipped_bot_plays_in_ticks_or_it_is_known_why_not(word: str) -> None:
    assert (load(word).interpreted is None) is bool(shipped.why_no_ticks(word))


@pytest.mark.parametrize(("language", "plays"), [("javascript", True), ("typescript", False)])
def test_a_new_bot_without_node_is_told_what_it_can_do(
    language: str,
    plays: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One that has to be built needs its tools by either clock."""
    monkeypatch.setattr(new_bot.shipped, "lacks", lambda *_: "apt install nodejs")
    monkeypatch.setattr(new_bot, "pin_of", lambda _: "5e" * 32)
    new_bot.new(
        language, tmp_path / "mine", new_bot.NewWish(as_module=False, searches=False), as_json=False
    )
    told = capsys.readouterr().out
    assert (sentence("new", "plays-in-ticks-here", lacks="apt install nodejs") in told) is plays
    assert ("khiva-arena match --bot" in told) is not plays
    assert ("match --clock ticks" in told) is plays
    assert (where("modules") in told) is plays
