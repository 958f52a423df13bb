"""What every kit is: one short file, one bot that plays every game, a README; and what
it makes of every encoding.
"""

import re
import shutil
import signal
import subprocess
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import languages
import pytest
from languages import ALL, WITH_GREEDY
from msgpack_suite import cases
from tools import need_language

from khiva_arena.common import shipped
from khiva_arena.entrants.bots import load

ROOT = Path(__file__).parents[2]
BOTS = ROOT / "bots"
LONGEST = 160
M = 2147483647


def test_each_language_has_a_folder_and_each_folder_is_a_language() -> None:
    folders = {path.name for path in BOTS.iterdir() if path.is_dir()} - {shipped.BROKEN, "rules"}
    assert set(ALL) == folders == {path.parent.name for path in ROOT.glob("tests/kits/*/sum")}
    words = [
        word
        for language in shipped.languages().values()
        for word in (language.name, *language.aliases)
    ]
    assert len(words) == len(set(words))
    assert {path.parent.parent.name for path in BOTS.glob("*/greedy/bot.toml")} == set(WITH_GREEDY)


@pytest.mark.parametrize("name", ALL)
def test_a_kit_is_one_short_file(name: str) -> None:
    kit = sorted(filter(Path.is_file, (BOTS / name / "kit").iterdir()))
    main = [path for path in kit if re.fullmatch(r"(khiva_?)?kit\.\w+", path.name, re.IGNORECASE)]
    assert len(main) == 1, "one file is the kit"
    assert len(kit) <= 2, "and one at most a codec for msgpack"
    assert len(main[0].read_text().splitlines()) <= LONGEST


@pytest.mark.parametrize("name", ALL)
def test_its_bots_are_called_after_it(name: str) -> None:
    for kind in ("random", "greedy") if name in WITH_GREEDY else ("random",):
        folder = BOTS / name / kind
        bot = load(str(folder))
        assert bot.name == (kind if name == "python" else f"{kind}-{name}")
        assert bot.games == (() if kind == "random" else ("khiva",))
        assert "files" in tomllib.loads((folder / "bot.toml").read_text())
    assert (BOTS / name / "random" / shipped.languages()[name].main).is_file()


@pytest.mark.parametrize("name", ALL)
def test_the_readme_names_the_packages(name: str) -> None:
    language = shipped.languages()[name]
    text = (BOTS / name / "README.md").read_text()
    assert text.startswith(f"# A bot in {language.title}\n")
    assert not language.debian or f"```sh\napt install {' '.join(language.debian)}\n```" in text
    for word in ("new", "check"):
        assert f"khiva-arena {word} {name if word == 'new' else 'my-bot'}" in text


def _sum(value: Any) -> int:
    """What the bots of tests/kits answer: depends on every part of the value, whatever
    the order of keys.
    """
    if value is None or isinstance(value, bool):
        return {None: 1, False: 2, True: 3}[value]
    if isinstance(value, int):
        return (4 * 31 + value % M) % M
    if isinstance(value, dict):
        return (6 + sum(_sum(key) * 31 + _sum(item) for key, item in value.items())) % M
    total, parts = (
        (5, list(value.encode())) if isinstance(value, str) else (6, [_sum(item) for item in value])
    )
    for part in parts:
        total = (total * 31 + part) % M
    return total


MORE: list[Any] = [
    2**53 - 1,
    -(2**53) + 1,
    2**32,
    -(2**31) - 1,
    255,
    256,
    -128,
    -129,
    "",
    "\u00e9\u4e2d\U0001f600",
    "x" * 70_000,
]
MORE += [
    list(range(20)),
    {f"k{i}": [i, None, True, False, -i] for i in range(20)},
    [[[[[[["deep"]]]]]]],
    {"__proto__": 1},
]


@pytest.fixture(scope="session")
def summing(tmp_path_factory: pytest.TempPathFactory, lay_out: Any) -> Callable[[str], Any]:
    """The bot of tests/kits in a language, staged once."""
    made: dict[str, Any] = {}

    def stage(name: str) -> Any:
        if name not in made:
            need_language(name)
            folder = tmp_path_factory.mktemp(name) / "sum"
            shutil.copytree(ROOT / "tests" / "kits" / name / "sum", folder)
            for path in filter(
                Path.is_file, (BOTS / name / "kit").iterdir()
            ):  # not what an interpreter leaves there
                shutil.copy(path, folder)
            made[name] = lay_out(folder, name)
        return made[name]

    return stage


@languages.each(ALL)
def test_the_kit_reads_every_encoding(
    name: str, summing: Any, framed: Any, conversation: Any
) -> None:
    """The public msgpack test suite, as far as the profile goes, and more; the sum
    shows that the value is the right one. What the bot prints besides, on what its
    language takes for stdout, is on stderr. It uses the number of the request as text,
    and changes it where it can: the answer has it as it came.
    """
    hello, decide = conversation[0], conversation[1]
    values = [(value, encoding) for _, value, encodings in cases() for encoding in encodings]
    assert len(values) > 100
    asked = [
        _spliced(framed, {**decide, "req": req}, encoding)
        for req, (_, encoding) in enumerate(values, 1)
    ]
    asked += [
        framed({**decide, "req": req, "view": {"value": value}})
        for req, value in enumerate(MORE, len(asked) + 1)
    ]
    said = summing(name).run(framed(hello) + b"".join(asked))
    assert said.messages[0] == {"type": "hello", "proto": 1, "name": "s\u00fcm"}, (
        "a bot without a version sends none"
    )
    assert [act["req"] for act in said.messages[1:]] == list(range(1, len(asked) + 1))
    assert all(type(act[key]) is int for act in said.messages[1:] for key in ("req", "choice"))
    got = [act["choice"] for act in said.messages[1:]]
    for (value, encoding), choice in zip(
        values + [(value, b"") for value in MORE], got, strict=True
    ):
        assert choice == _sum(value), (value, encoding.hex())
    assert said.code == 0
    assert "noise" in said.notes


@languages.each(("python", "c", "cpp", "nim", "ocaml", "perl", "php", "ruby"))
def test_a_signal_does_not_end_the_input(
    name: str, summing: Any, framed: Any, conversation: Any
) -> None:
    """A handler that the bot has set cuts a read short; in the languages that are not
    here none can, or the library goes on.
    """
    bot = summing(name)
    data = framed({**conversation[1], "view": {"value": 7}})
    process = subprocess.Popen(bot.argv, cwd=bot.folder, bufsize=0, stdin=-1, stdout=-1, stderr=-1)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(framed(conversation[0]))
        assert process.stdout.read(4)  # it has greeted, and so has its handler
        for part in (data[:2], data[2:10], data[10:]):
            for _ in range(3):
                time.sleep(0.01)
                process.send_signal(signal.SIGUSR1)
            process.stdin.write(part)
        out, notes = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert b"choice" in out, notes.decode()
    assert process.returncode == 0


@languages.each(("nim", "ocaml"))
def test_an_exception_is_told(name: str, summing: Any, framed: Any, conversation: Any) -> None:
    """Of itself in most languages; OCaml has to be asked for where, and Nim pays for
    that with its speed.
    """
    said = summing(name).run(framed(conversation[0], {"type": "decide", "req": 1}))
    assert said.code > 0
    assert re.search(
        {"nim": r"unhandled exception: key not found: view", "ocaml": 'in file "bot.ml", line'}[
            name
        ],
        said.notes,
        re.MULTILINE,
    )


def _spliced(framed: Any, decide: dict[str, Any], encoding: bytes) -> bytes:
    """A request with a value encoded in a way of its own."""
    mark = "the value goes here"
    frame = framed({**decide, "view": {"value": mark}})
    payload = frame[4:].replace(bytes([0xA0 + len(mark)]) + mark.encode(), encoding)
    return len(payload).to_bytes(4, "big") + payload
