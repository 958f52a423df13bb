"""Bots of a module and a payload: named, identified by both, played by either clock, and taken wherever their events go."""

import json
import re
import shutil
from hashlib import sha256
from pathlib import Path

import pytest
from arena import arena, bots
from bundling import lines_of
from levels import EVERY_LEVEL, python_at
from makers import maker_at
from once import made_once
from tools import lacks
from wording import pattern, sentence

from khiva_arena.arbiter.runners import _payload
from khiva_arena.arbiter.seals import damage_of
from khiva_arena.arbiter.wire import HostFault
from khiva_arena.cluster import bot_transfer
from khiva_arena.entrants import modules, only_modules, staging
from khiva_arena.entrants.bots import Bot, load
from khiva_arena.entrants.loading import Bounds, Loading
from khiva_arena.errors import BotError, ConfigError, StagingError
from khiva_arena.league.submissions import examine
from khiva_arena.league.submissions.packing import pack, unpack
from khiva_arena.replay.definition import Definition, ModuleFile
from khiva_arena.sandbox.level import Level
from khiva_arena.store.db import Store

pytestmark = pytest.mark.slow

with maker_at(Path(__file__).with_name("make_ticks.py")) as maker:
    made = maker.tick_bots
READS = f"i32.const 3 i32.const {made.INPUT} i32.const 1 i32.const {made.GOT} $fd_read drop\n"
TAKES = f"local.get $sum i32.const {made.FRAME} i32.load 0 i32.xor local.set $sum\n"
MODULE = made.bot(at_the_start=READS + TAKES)
"""A bot whose choices depend on the first bytes of its payload, which it must have."""
PAYLOADS = {"one": b"one\n", "two": b"two\n" * 10_000, "none": b""}
EVENT = ("--clock", "ticks", "--seats", "2", "--seeds", "1", "--seed", "a", "--turn", "50ms")
RUN_AGAIN = pattern("verify", "bots-run-again", matches="6 matches")


def folder(place: Path, payload: bytes, *lines: str) -> Path:
    """Write a bot of the module and a payload into a folder."""
    place.mkdir()
    text = [f'name = "{place.name}"', 'module = "bot.wasm"', 'payload = "weights.bin"', *lines]
    (place / "bot.toml").write_text("\n".join(text))
    (place / "bot.wasm").write_bytes(MODULE)
    (place / "weights.bin").write_bytes(payload)
    return place


@made_once
def cup(place: Path) -> None:
    """Play an event of three bots of one module, in ticks: 6 matches."""
    for name, payload in PAYLOADS.items():
        folder(place / name, payload)
    arena("run", *EVENT, *bots(*PAYLOADS), "--out", "cup", cwd=place)
    arena("bundle", "cup", "cup.khiva", "--with-modules", cwd=place)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, as a machine has that has built nothing."""
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def definition_of(store: Path) -> Definition:
    with Store.read(store) as opened:
        return opened.events()[0].definition


# --- named ---


@pytest.mark.parametrize(
    ("lines", "mistake"),
    [
        ('run = "./bot"\npayload = "w"', sentence("entrants", "payload-alone")),
        ('module = "bot.wasm"\npayload = ""', sentence("entrants", "payload-empty", key="payload")),
        ('module = "bot.wasm"\npayload = "../w"', sentence("entrants", "leads-out-folder-put")),
        ('module = "bot.wasm"\npayload = 3', sentence("entrants", "must-string", value="payload")),
    ],
)
def test_a_payload_is_a_file_of_a_module_in_its_folder(tmp_path: Path, lines: str, mistake: str) -> None:
    (tmp_path / "bot.toml").write_text(f'name = "m"\n{lines}\n')
    (tmp_path / "bot.wasm").write_bytes(MODULE)
    with pytest.raises(ConfigError, match=re.escape(mistake)):
        load(str(tmp_path))


def refusal(bot_: Bot) -> str:
    with pytest.raises(BotError) as caught:
        staging.stage(bot_)
    return str(caught.value)


def test_a_payload_has_a_bound_that_is_a_setting(tmp_path: Path, cache: Path) -> None:
    place = folder(tmp_path / "m", bytes(2_000))
    small = Loading(Bounds(payload_size=1_024))
    with pytest.raises(
        ConfigError, match=pattern("entrants", "payload-above-bound", what=".*weights.bin", size="2,000", most="1,024")
    ):
        load(str(place), loading=small)
    grows = "build = \"sh -c 'head -c 2000 /dev/zero > weights.bin'\""
    made = load(str(folder(tmp_path / "made", b"", grows)), loading=small)
    assert sentence("sandbox", "longer-bytes", most="1,024") in refusal(made)
    assert staging.stage(load(str(place), loading=Loading(Bounds(payload_size=2_048)))).payload


@pytest.mark.parametrize("build", ["true", "ln -s /etc/passwd weights.bin"])
def test_a_payload_that_its_build_does_not_make_is_refused(tmp_path: Path, cache: Path, build: str) -> None:
    place = folder(tmp_path / "m", b"", f"build = \"sh -c '{build}'\"", 'files = ["bot.wasm"]')
    (place / "weights.bin").unlink()
    assert "weights.bin" in refusal(load(str(place)))


def test_a_build_may_make_the_payload(tmp_path: Path, cache: Path) -> None:
    place = folder(tmp_path / "m", b"", "build = \"sh -c 'printf made > weights.bin'\"", 'files = ["bot.wasm"]')
    (place / "weights.bin").unlink()
    (one,) = only_modules.only_modules([load(str(place))], Level.TRUSTED)
    assert one.parts[1] == sha256(b"made").hexdigest()


# --- identified ---


def test_a_definition_names_both_hashes_and_the_identity_is_of_both(cup: Path) -> None:
    for defined, payload in zip(definition_of(cup / "cup").bots, PAYLOADS.values(), strict=True):
        assert (defined.module, defined.payload) == (sha256(MODULE).hexdigest(), sha256(payload).hexdigest())
        assert defined.identity == modules.bot_identity(MODULE, payload)


@pytest.mark.parametrize("field", ["module", "payload", "identity"])
def test_a_definition_whose_identity_is_not_of_both_is_refused(cup: Path, field: str) -> None:
    plain = json.loads(definition_of(cup / "cup").text)
    plain["bots"][0][field] = "0" * 64
    with pytest.raises(ValueError, match=sentence("replay", "identity-of-both")):
        Definition.read(json.dumps(plain, sort_keys=True, separators=(",", ":")))


def test_bots_of_one_module_are_compiled_once_and_kept_once(tmp_path: Path, cache: Path) -> None:
    found = [load(str(folder(tmp_path / name, payload))) for name, payload in PAYLOADS.items()]
    commands = [staging.stage(one) for one in only_modules.only_modules(found, Level.TRUSTED)]
    assert len({command.module for command in commands}) == 1
    assert len({command.payload for command in commands}) == len(PAYLOADS)
    assert sorted(path.suffix for path in (cache / "modules").iterdir()) == [*[".payload"] * 3, ".wasm"]
    assert len({path.stat().st_ino for path in (cache / "compiled").glob("*/code")}) == 1


# --- played ---


def choices(store: Path) -> list[str]:
    with Store.read(store) as opened:
        (event,) = opened.events()
        return [json.dumps(json.loads(row.record)["steps"]) for row in opened.matches(event.id)]


def test_choices_depend_on_the_payload(cup: Path) -> None:
    assert len(set(choices(cup / "cup"))) == 6


@EVERY_LEVEL
def test_a_payload_is_read_by_the_wall_clock_at_every_level(cup: Path, tmp_path: Path, level: Level) -> None:
    """A bot without one would read the next frame in its place, or nothing: its sum would be another one."""
    if python_at(level) != modules.runner(modules.RUN)[0]:
        lacks(f"at {level} this user's bots may not read {python_at(level)}", may=True)
    words = ("--isolation", str(level), "--seats", "2", "--seeds", "1", "--seed", "a", "--trust-bots")
    done = arena("run", *words, *bots("one", "two"), "--out", str(tmp_path / "wall"), cwd=cup)
    assert "forfeit" not in done.stdout
    assert len(choices(tmp_path / "wall")) == 2


def test_a_payload_that_changes_in_the_cache_is_nobodys_fault(tmp_path: Path, cache: Path) -> None:
    (one,) = only_modules.only_modules([load(str(folder(tmp_path / "m", b"sound")))], Level.TRUSTED)
    command = staging.stage(one)
    Path(command.payload[0]).chmod(0o644)
    Path(command.payload[0]).write_bytes(b"other")

    with pytest.raises(HostFault, match=sentence("modules", "payload-changed")):
        _payload(command)
    assert damage_of(command) == sentence("arbiter", "copy-damaged", what="payload")
    assert Path(staging.stage(one).payload[0]).read_bytes() == b"sound"


# --- taken along ---


def test_it_is_run_again_wherever_its_event_goes(cup: Path, tmp_path: Path, cache: Path) -> None:
    shutil.copytree(cup / "cup", tmp_path / "cup")
    for name in ("cup", "cup.khiva"):
        shutil.rmtree(cache, ignore_errors=True)
        assert re.search(RUN_AGAIN, arena("verify", name, "--rerun-bots", cwd=cup).stdout)
    (tmp_path / "cup" / "modules").rename(tmp_path / "brought")
    shutil.rmtree(cache)
    assert "are not here" in arena("verify", "cup", "--rerun-bots", cwd=tmp_path, code=2).stderr
    assert re.search(RUN_AGAIN, arena("verify", "cup", "--rerun-bots", "--modules", "brought", cwd=tmp_path).stdout)


def test_a_bundle_has_each_file_once(cup: Path) -> None:
    lines = [line for line in lines_of(cup / "cup.khiva") if line["kind"] in ("module", "payload")]
    assert [(line["kind"], line["number"], line["identity"]) for line in lines] == [
        ("module", 0, sha256(MODULE).hexdigest()),
        *(("payload", number, sha256(payload).hexdigest()) for number, payload in enumerate(PAYLOADS.values())),
    ]


def flip(file: Path) -> None:
    data = file.read_bytes()
    file.write_bytes(bytes([data[0] ^ 1]) + data[1:])


@pytest.mark.parametrize("end", [".wasm", ".payload"])
def test_a_damaged_copy_in_a_store_is_named(cup: Path, tmp_path: Path, cache: Path, end: str) -> None:
    shutil.copytree(cup / "cup", tmp_path / "cup")
    flip(next(path for path in (tmp_path / "cup" / "modules").glob(f"*{end}") if path.stat().st_size))
    kind = "module" if end == ".wasm" else "payload"
    said = arena("verify", "cup", cwd=tmp_path, code=1).stdout
    assert re.search(pattern("events", "module-damaged", copy=rf"\w+\{end}", kind=kind), said)
    assert "damaged" in arena("verify", "cup", "--rerun-bots", cwd=tmp_path, code=2).stderr


def test_a_plan_carries_payloads_to_other_machines(cup: Path, tmp_path: Path, cache: Path) -> None:
    arena("run", *EVENT, *bots(*(str(cup / name) for name in PAYLOADS)), "--plan", "cup.plan", cwd=tmp_path)
    shutil.rmtree(cache)
    arena("run", "--from-plan", "cup.plan", "--out", "whole", cwd=tmp_path)
    assert choices(tmp_path / "whole") == choices(cup / "cup")


@pytest.mark.parametrize("in_ticks", [False, True])
def test_a_worker_of_a_cluster_gets_the_payload(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_ticks: bool) -> None:
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(tmp_path / "here"))
    one = load(str(folder(tmp_path / "m", b"sound")))
    if in_ticks:
        (one,) = only_modules.only_modules([one], Level.TRUSTED)
    sent = bot_transfer.pack(one, (), (), files=True)
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(tmp_path / "there"))
    assert Path(bot_transfer.stage_here(sent, Level.TRUSTED).payload[0]).read_bytes() == b"sound"


def test_an_upload_keeps_the_payload(tmp_path: Path) -> None:
    bot_ = load(str(folder(tmp_path / "m", b"sound")))
    unpack(pack(bot_), tmp_path / "there")
    assert load(str(tmp_path / "there")).identity == bot_.identity


def test_a_damaged_payload_is_not_staged_and_is_named(tmp_path: Path, cache: Path) -> None:
    (one,) = only_modules.only_modules([load(str(folder(tmp_path / "m", b"sound")))], Level.TRUSTED)
    flip(only_modules.kept(ModuleFile("payload", one.parts[1])))
    with pytest.raises(StagingError, match=pattern("entrants", "module-damaged", kind="payload", file=".*")):
        staging.stage(one)


@pytest.mark.soak
def test_a_league_in_ticks_names_both_hashes_and_anybody_can_run_it_again(
    cup: Path, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examine, "_verdict", lambda *_: examine.Finding(True, ""))  # the bot keeps to no more than matches need
    arena("league", "new", "summer", "--seats", "2", "--clock", "ticks", cwd=tmp_path)
    settings = tmp_path / "summer" / "league.toml"
    text = re.sub(r"(?m)^bots = .*$", f"bots = {json.dumps([str(cup / 'one'), str(cup / 'two')])}", settings.read_text())
    settings.write_text(re.sub(r"(?m)^anchor = .*$", 'anchor = "one"', text))
    arena("league", "enter", "summer", str(cup / "none"), "--author", "ann", cwd=tmp_path)
    arena("league", "play", "summer", "--batches", "1", cwd=tmp_path)
    defined = definition_of(tmp_path / "summer").bots
    assert {bot.payload for bot in defined} == {sha256(payload).hexdigest() for payload in PAYLOADS.values()}
    shutil.rmtree(cache)
    said = arena("verify", "summer", "--rerun-bots", cwd=tmp_path).stdout
    assert re.search(pattern("verify", "bots-run-again", matches=r"\d+ matches"), said)
