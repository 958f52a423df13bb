"""Folders that are saved and opened: what comes back, and hostile zips."""

import io
import random
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

from cases import cases
from workbench_played import WISH, Event, template, told

BOT = "name = 'b'\ninterpreter = 'python main.py'\nfiles = ['*.py']\n"
STARTS_A_PROGRAM = "starts a program, and a page"


def zipped(
    *files: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED
) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in (("bot.toml", BOT.encode()), *files):
            archive.writestr(name, data)
    return out.getvalue()


def link() -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("link.py")
    info.external_attr = 0o120777 << 16
    return info


def encrypted() -> bytes:
    data = bytearray(zipped(("main.py", b"secret")))
    at = data.index(b"PK\1\2", data.index(b"PK\1\2") + 1)
    data[at + 8] |= 1
    return bytes(data)


def larger_than_said() -> bytes:
    """A file whose list says one byte, and that inflates to more."""
    data = bytearray(zipped(("main.py", b"x" * 5_000_000)))
    at = data.index(b"PK\1\2", data.index(b"PK\1\2") + 1)
    struct.pack_into("<L", data, at + 24, 1)
    return bytes(data)


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "above": (lambda: zipped(("../x.py", b"")), "leads out"),
    "absolute": (lambda: zipped(("/x.py", b"")), "leads out"),
    "backslash": (lambda: zipped(("a\\..\\x.py", b"")), "letters"),
    "case": (lambda: zipped(("main.py", b""), ("Main.py", b"")), "case"),
    "case of folders": (lambda: zipped(("a/one.txt", b""), ("A/two.txt", b"")), "case"),
    "nul": (lambda: zipped(("aXb.py", b"")).replace(b"aXb.py", b"a\0b.py"), "letters"),
    "link": (lambda: zipped((link(), b"/etc/passwd")), "a link"),
    "encrypted": (encrypted, "encrypted"),
    "method": (lambda: zipped(("main.py", b"x" * 99), method=zipfile.ZIP_LZMA), "another method"),
    "many": (lambda: zipped(*((f"f{at}.py", b"") for at in range(500))), "501 files"),
    "packed": (lambda: bytes(4 * 2**20 + 1), "4 MiB"),
    "unpacked": (lambda: zipped(("main.py", bytes(16 * 2**20))), "16 MiB"),
    "larger than said": (larger_than_said, "damaged"),
    "cut": (lambda: zipped(("main.py", b"x"))[:-30], "no zip"),
    "deep": (lambda: zipped(("a/b/c/d/e/f/g.txt", b"")), "6 parts at most in a page"),
    "no room for an opponent": (
        lambda: zipped(*((f"f{at}.py", b"") for at in range(480))),
        "481 files",
    ),
    "no text": (lambda: zipped(("main.py", b"\xff")), "UTF-8"),
    "two bots": (lambda: zipped(("other/bot.toml", b"")), "2 folders"),
}


def opened(home: Path, *data: bytes, **request: object) -> Event:
    ((event, _),) = told(home, {"do": "open", **request}, data)
    assert not [*home.rglob("*.py")]
    return event


@cases("name", HOSTILE)
def test_a_hostile_zip_is_refused_and_nothing_is_written(tmp_path: Path, name: str) -> None:
    make, said = HOSTILE[name]
    event = opened(tmp_path, make())
    assert event["kind"] == "refused"
    assert said in event["why"]


def test_what_is_saved_is_opened_as_it_was(tmp_path: Path) -> None:
    files = template() | {"words/list.txt": "café\r\n\n"}
    ((_, data),) = told(tmp_path, WISH | {"do": "save", "files": files})
    assert opened(tmp_path, data or b"")["files"] == files


def test_of_a_folder_only_what_files_names_is_read(tmp_path: Path) -> None:
    entries = [
        "notes/big.bin",
        "main.py",
        "bot.toml",
        "../out.py",
        ".git/config",
        "__pycache__/main.py",
        "a/other.py",
        "\0.py",
        "x" * 999,
        "main.py/x",
    ]
    ((event, _),) = told(tmp_path, {"do": "look", "entries": entries}, [BOT.encode()])
    assert event == {"kind": "wanted", "entries": ["bot.toml", "main.py"]}
    for names in (event["entries"], ["bot.toml", "main.py", "weights.bin"]):
        event = opened(tmp_path, *(BOT.encode(), b"pass\n", b"\xff")[: len(names)], entries=names)
        assert event["files"] == {"bot.toml": BOT, "main.py": "pass\n"}


@cases(
    ("files", "why"),
    [
        ({"bot.toml": "name = 'b'\n"}, "my-bot/bot.toml: run is missing"),
        ({"bot.toml": "name = 'b'\nname = 'c'\n"}, "my-bot/bot.toml"),
        ({"bot.toml": f"{BOT}build = 'make'\n"}, STARTS_A_PROGRAM),
        ({"bot.toml": f"{BOT}memory = 64\n"}, "16 MiB"),
        ({"bot.toml": f"{BOT}games = ['emira']\n"}, "emira, not khiva"),
        ({"bot.toml": BOT.replace("python main", "python other")}, "runs other.py"),
        ({"bot.toml": BOT, "../x": ""}, "letters"),
        ({"bot.toml": BOT + "# \ud800\nbuild = 'make'\n"}, STARTS_A_PROGRAM),
    ],
)
def test_a_folder_that_cannot_play_is_refused(
    tmp_path: Path, files: dict[str, str], why: str
) -> None:
    ((event, _),) = told(tmp_path, WISH | {"do": "play", "files": {"main.py": "", **files}})
    assert event["kind"] == "refused"
    assert why in event["why"]
    assert str(tmp_path) not in event["why"]


def test_what_could_not_be_opened_again_is_not_saved(tmp_path: Path) -> None:
    noise = "".join(chr(33 + number) for number in random.Random(5).choices(range(90), k=8 * 2**20))
    for text, said in ((noise, "4 MiB"), ("x" * 17 * 2**20, "16 at most")):
        ((event, data),) = told(
            tmp_path, WISH | {"do": "save", "files": template() | {"data.txt": text}}
        )
        assert (event["kind"], data) == ("refused", None)
        assert said in event["why"]
