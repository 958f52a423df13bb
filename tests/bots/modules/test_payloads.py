"""Bots of a module and a payload: named, identified by both, played by either clock,
and taken wherever their events go.
"""

import json
import re
import shutil
from hashlib import sha256
from pathlib import Path

import pytest
from arena import arena, bots
from bundling import lines_of
from levels import EVERY_LEVEL, python_at
from payload_bots import MODULE, PAYLOADS, RUN_AGAIN, choices, definition_of, folder
from payload_bots import cache as cache
from payload_bots import cup as cup
from tools import lacks
from wording import pattern, sentence

from khiva_arena.arbiter.runners import _payload
from khiva_arena.arbiter.seals import damage_of
from khiva_arena.arbiter.wire import HostFault
from khiva_arena.bots.sandbox.level import Level
from khiva_arena.entrants import module_runner, modules, only_modules, staging
from khiva_arena.entrants.bots import Bot, load
from khiva_arena.entrants.loading import Bounds, Loading
from khiva_arena.errors import BotError, ConfigError, StagingError
from khiva_arena.records.replay.definition import Definition, ModuleFile

pytestmark = pytest.mark.slow

# --- named ---


@pytest.mark.parametrize(
    ("lines", "mistake"),
    [
        ('run = "./bot"\npayload = "w"', sentence("entrants", "payload-alone")),
        ('module = "bot.wasm"\npayload = ""', "payload is empty"),
        ('module = "bot.wasm"\npayload = "../w"', sentence("entrants", "leads-out-folder-put")),
        ('module = "bot.wasm"\npayload = 3', sentence("entrants", "must-string", value="payload")),
    ],
)
def test_a_payload_is_a_file_of_a_module_in_its_folder(
    tmp_path: Path, lines: str, mistake: str
) -> None:
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
        ConfigError,
        match=pattern(
            "entrants", "payload-above-bound", what=".*weights.bin", size="2,000", most="1,024"
        ),
    ):
        load(str(place), loading=small)
    grows = "build = \"sh -c 'head -c 2000 /dev/zero > weights.bin'\""
    made = load(str(folder(tmp_path / "made", b"", grows)), loading=small)
    assert sentence("sandbox", "longer-bytes", most="1,024") in refusal(made)
    assert staging.stage(load(str(place), loading=Loading(Bounds(payload_size=2_048)))).payload


@pytest.mark.parametrize("build", ["true", "ln -s /etc/passwd weights.bin"])
def test_a_payload_that_its_build_does_not_make_is_refused(
    tmp_path: Path, cache: Path, build: str
) -> None:
    place = folder(tmp_path / "m", b"", f"build = \"sh -c '{build}'\"", 'files = ["bot.wasm"]')
    (place / "weights.bin").unlink()
    assert "weights.bin" in refusal(load(str(place)))


def test_a_build_may_make_the_payload(tmp_path: Path, cache: Path) -> None:
    place = folder(
        tmp_path / "m", b"", "build = \"sh -c 'printf made > weights.bin'\"", 'files = ["bot.wasm"]'
    )
    (place / "weights.bin").unlink()
    (one,) = only_modules.only_modules([load(str(place))], Level.TRUSTED)
    assert one.parts[1] == sha256(b"made").hexdigest()


# --- identified ---


def test_a_definition_names_both_hashes_and_the_identity_is_of_both(cup: Path) -> None:
    for defined, payload in zip(definition_of(cup / "cup").bots, PAYLOADS.values(), strict=True):
        assert (defined.module, defined.payload) == (
            sha256(MODULE).hexdigest(),
            sha256(payload).hexdigest(),
        )
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
    assert sorted(path.suffix for path in (cache / "modules").iterdir()) == [
        *[".payload"] * 3,
        ".wasm",
    ]
    assert len({path.stat().st_ino for path in (cache / "compiled").glob("*/code")}) == 1


# --- played ---


def test_choices_depend_on_the_payload(cup: Path) -> None:
    assert len(set(choices(cup / "cup"))) == 6


@EVERY_LEVEL
def test_a_payload_is_read_by_the_wall_clock_at_every_level(
    cup: Path, tmp_path: Path, level: Level
) -> None:
    """A bot without one would read the next frame in its place, or nothing: its sum
    would be another one.
    """
    if python_at(level) != module_runner.runner(module_runner.RUN)[0]:
        lacks(f"at {level} this user's bots may not read {python_at(level)}", may=True)
    words = (
        "--isolation",
        str(level),
        "--seats",
        "2",
        "--seeds",
        "1",
        "--seed",
        "a",
        "--trust-bots",
    )
    done = arena("run", *words, *bots("one", "two"), "--out", str(tmp_path / "wall"), cwd=cup)
    assert "forfeit" not in done.stdout
    assert len(choices(tmp_path / "wall")) == 2


def test_a_payload_that_changes_in_the_cache_is_nobodys_fault(tmp_path: Path, cache: Path) -> None:
    (one,) = only_modules.only_modules([load(str(folder(tmp_path / "m", b"sound")))], Level.TRUSTED)
    command = staging.stage(one)
    Path(command.payload[0]).chmod(0o644)
    Path(command.payload[0]).write_bytes(b"other")

    with pytest.raises(
        HostFault,
        match=(
            "the payload of a module has changed, or is gone, since the arena staged it; a "
            "new run stages it again"
        ),
    ):
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
    assert re.search(
        RUN_AGAIN,
        arena("verify", "cup", "--rerun-bots", "--modules", "brought", cwd=tmp_path).stdout,
    )


def test_a_bundle_has_each_file_once(cup: Path) -> None:
    lines = [line for line in lines_of(cup / "cup.khiva") if line["kind"] in ("module", "payload")]
    assert [(line["kind"], line["number"], line["identity"]) for line in lines] == [
        ("module", 0, sha256(MODULE).hexdigest()),
        *(
            ("payload", number, sha256(payload).hexdigest())
            for number, payload in enumerate(PAYLOADS.values())
        ),
    ]


def flip(file: Path) -> None:
    data = file.read_bytes()
    file.write_bytes(bytes([data[0] ^ 1]) + data[1:])


@pytest.mark.parametrize("end", [".wasm", ".payload"])
def test_a_damaged_copy_in_a_store_is_named(
    cup: Path, tmp_path: Path, cache: Path, end: str
) -> None:
    shutil.copytree(cup / "cup", tmp_path / "cup")
    flip(
        next(path for path in (tmp_path / "cup" / "modules").glob(f"*{end}") if path.stat().st_size)
    )
    kind = "module" if end == ".wasm" else "payload"
    said = arena("verify", "cup", cwd=tmp_path, code=1).stdout
    assert re.search(pattern("events", "module-damaged", copy=rf"\w+\{end}", kind=kind), said)
    assert "damaged" in arena("verify", "cup", "--rerun-bots", cwd=tmp_path, code=2).stderr


def test_a_damaged_payload_is_not_staged_and_is_named(tmp_path: Path, cache: Path) -> None:
    (one,) = only_modules.only_modules([load(str(folder(tmp_path / "m", b"sound")))], Level.TRUSTED)
    flip(only_modules.kept(ModuleFile("payload", one.parts[1])))
    with pytest.raises(
        StagingError, match=pattern("entrants", "module-damaged", kind="payload", file=".*")
    ):
        staging.stage(one)
