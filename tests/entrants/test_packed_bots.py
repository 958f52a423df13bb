"""A bot in a zip or a tar: it is the bot of the unpacked folder, and an archive of a
stranger leads nowhere and costs little.
"""

import gzip
import io
import json
import os
import re
import stat
import struct
import sys
import tarfile
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from arena import arena
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from quick_bots import NAIVE
from stores import TRUSTED
from wording import pattern, sentence

from khiva_arena.common.shipped import bots as shipped_bots
from khiva_arena.entrants.archive import MOST_BYTES, MOST_FILES
from khiva_arena.entrants.archived import LONGEST_HEADER, MOST_DATA, MOST_ENTRIES
from khiva_arena.entrants.bots import load
from khiva_arena.entrants.packed_bots import MOST_RATIO
from khiva_arena.errors import ConfigError
from khiva_arena.records.store.rows import Why

TOML = b'name = "dora"\nrun = "{python} main.py"\n'
LINK, DEVICE, PIPE = stat.S_IFLNK | 0o777, stat.S_IFCHR | 0o644, stat.S_IFIFO | 0o644
PRIVATE = "khiva-arena-scratch-*"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, beside the one for temporary files."""
    (tmp_path / "work").mkdir()
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def made(folder: Path) -> Path:
    """A bot's folder: with a long path in it, a program, and files that belong to no
    bot.
    """
    files = {
        "bot.toml": TOML,
        "main.py": b"print()",
        "run.sh": b"#!/bin/sh",
        f"{'a' * 90}/{'b' * 90}/c": bytes(range(256)),
        "empty": b"",
        ".git/config": b"secret",
        "__pycache__/main.pyc": b"old",
    }
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    (folder / "run.sh").chmod(0o755)
    return folder


def zipped(
    files: dict[str, bytes], modes: dict[str, int] | None = None, method: int = zipfile.ZIP_DEFLATED
) -> bytes:
    """A zip of files, whose modes may say that they are others."""
    data = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(data, "w", method) as archive:
        warnings.simplefilter("ignore")  # of two files of one name
        for name, contents in files.items():
            info = zipfile.ZipInfo(name.removesuffix("#2"))
            info.compress_type = method
            info.external_attr = (modes or {}).get(name, stat.S_IFREG | 0o644) << 16
            archive.writestr(info, contents)
    return data.getvalue()


def tarred(
    files: dict[str, bytes], kinds: dict[str, bytes] | None = None, way: int = tarfile.GNU_FORMAT
) -> bytes:
    """A tar of files, some of which are entries of other kinds; what these lead to are
    their bytes.
    """
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=way) as archive:
        for name, contents in files.items():
            info = tarfile.TarInfo(name.removesuffix("#2"))
            info.type = (kinds or {}).get(name, tarfile.REGTYPE)
            if info.type in (tarfile.LNKTYPE, tarfile.SYMTYPE):
                info.linkname, contents = contents.decode(), b""
            info.size = len(contents)
            archive.addfile(info, io.BytesIO(contents))
    return data.getvalue()


def as_it_is(folder: Path, top: str, name: str) -> None:
    """Pack a folder by a program of its kind, with one folder at the top, or
    without.
    """
    paths = [
        (path, os.path.join(top, path.relative_to(folder))) for path in sorted(folder.rglob("*"))
    ]
    if name.lower().endswith(".zip"):
        with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as archive:
            for path, inside in paths:
                archive.write(path, inside)
        return
    way = {"p": tarfile.PAX_FORMAT, "g": tarfile.GNU_FORMAT, "u": tarfile.USTAR_FORMAT}[name[0]]
    with tarfile.open(name, "w:gz" if name.endswith("gz") else "w", format=way) as archive:
        for path, inside in paths:
            archive.add(path, inside, recursive=False)


@pytest.mark.parametrize(
    "name", ["dora.zip", "Dora.ZIP", "p.tar", "g.tar", "u.tar", "p.tar.gz", "g.tgz"]
)
@pytest.mark.parametrize("top", ["", "./", "dora", "__MACOSX beside dora"])
def test_the_bot_is_that_of_the_unpacked_folder(name: str, top: str, here: Path) -> None:
    folder = made(here / "folder")
    if "beside" in top:
        (here / "both" / "__MACOSX").mkdir(parents=True)
        (here / "both" / "__MACOSX" / "._main.py").write_bytes(b"mac")
        (here / "both" / ".DS_Store").write_bytes(b"mac")
        folder.rename(here / "both" / "dora")
        as_it_is(here / "both", "", name)
        folder = here / "both" / "dora"
    else:
        as_it_is(folder, top, name)
    bot, there = load(name), load(str(folder))
    assert (bot.identity, bot.name, bot.asked_as) == (there.identity, "dora", name)
    assert {inside for inside, _ in bot.sources} == {inside for inside, _ in there.sources}


def test_a_shipped_bot_in_an_archive_keeps_its_identity(here: Path) -> None:
    """Also where no mode of a file is known, and the file of another folder is packed
    with it.
    """
    folder = shipped_bots()["shipped:python/random"]
    with zipfile.ZipFile("random.zip", "w") as archive:
        for inside, path in load("shipped:python/random").sources:
            archive.writestr(inside, path.read_bytes())
        toml = re.sub(rb"(?m)^include.*$", b"", (folder / "bot.toml").read_bytes())
        archive.writestr("bot.toml", toml)
    with zipfile.ZipFile("random.zip") as archive:
        archive.extractall(here / "there")
    assert load("random.zip").identity == load(str(here / "there")).identity


# --- archives that are refused ---

BOT = {"bot.toml": TOML, "main.py": b""}


def flagged(data: bytes, bit: int) -> bytes:
    """A zip whose last file has a flag, here and in the list."""
    for mark, place in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        at = data.rfind(mark) + place
        data = (
            data[:at]
            + struct.pack("<H", struct.unpack_from("<H", data, at)[0] | bit)
            + data[at + 2 :]
        )
    return data


def lying(size: int) -> bytes:
    """A zip whose list says that its last file has another size."""
    data = zipped({**BOT, "z": bytes(1000)})
    at = data.rfind(b"PK\1\2") + 24
    return data[:at] + struct.pack("<L", size) + data[at + 4 :]


def long_list() -> bytes:
    """The end of a zip that says that its list has 2 MiB, and is longer than it."""
    return bytes(2 << 20) + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, 2 << 20, 0, 0)


def zip64() -> bytes:
    return struct.pack("<4sLQL", b"PK\6\7", 0, 0, 1) + struct.pack(
        "<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, 0, 0, 0
    )


def long_header() -> bytes:
    return tarred({**BOT, "x" * (LONGEST_HEADER + 1): b""})


def sparse() -> bytes:
    """A tar with a file of which it says in a header that it is huge."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.PAX_FORMAT) as archive:
        info = tarfile.TarInfo("bot.toml")
        info.pax_headers = {"GNU.sparse.realsize": str(2**60)}
        archive.addfile(info)
    return data.getvalue()


def kind(name: str, words: str) -> str:
    return pattern("entrants", "archive-kind", name=name, kind=words)


MOST = str(MOST_BYTES >> 20)
DAMAGED = pattern("entrants", "archive-damaged", reason=".+")
OUTSIDE = pattern("entrants", "archive-outside", name=".+")
NO_BOT = pattern("entrants", "archive-no-bot", found=".*")
SAME = pattern("entrants", "archive-same-names")
MANY = pattern("entrants", "archive-files", count="502", most="500")
FOLDER = "one of its files.*folder.*"
RATIO = pattern("entrants", "archive-ratio", most=str(MOST_RATIO))
SIGNS = pattern("entrants", "name-of-signs", name=".+")
REFUSED: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "a path that leads up": ("z.zip", lambda: zipped({**BOT, "../x": b""}), OUTSIDE),
    "a path that leads up from inside": (
        "z.zip",
        lambda: zipped({**BOT, "a/../../x": b""}),
        OUTSIDE,
    ),
    "a hidden path that leads up": ("z.zip", lambda: zipped({**BOT, ".git/../../x": b""}), OUTSIDE),
    "an absolute path": ("z.zip", lambda: zipped({**BOT, "/tmp/x": b""}), OUTSIDE),
    "no path": ("z.zip", lambda: zipped({**BOT, ".": b""}), OUTSIDE),
    "a link": (
        "z.zip",
        lambda: zipped({**BOT, "l": b"/etc/passwd"}, {"l": LINK}),
        kind("'l'", "a link"),
    ),
    "a link called a folder": (
        "z.zip",
        lambda: zipped({**BOT, "l/": b"/etc"}, {"l/": LINK}),
        kind("'l/'", "a link"),
    ),
    "a device": (
        "z.zip",
        lambda: zipped({**BOT, "d": b""}, {"d": DEVICE}),
        kind("'d'", "a .*pipe"),
    ),
    "a pipe": ("z.zip", lambda: zipped({**BOT, "p": b""}, {"p": PIPE}), kind("'p'", "a .*pipe")),
    "a password": ("z.zip", lambda: flagged(zipped(BOT), 1), kind("'main.py'", "encrypted")),
    "another method": (
        "z.zip",
        lambda: zipped(BOT, method=zipfile.ZIP_LZMA),
        kind("'bot.toml'", "compressed by .*"),
    ),
    "one name twice": ("z.zip", lambda: zipped({**BOT, "main.py#2": b""}), SAME),
    "names alike but for case": ("z.zip", lambda: zipped({**BOT, "MAIN.py": b""}), SAME),
    "one name after all": ("z.zip", lambda: zipped({**BOT, "./main.py": b""}), SAME),
    "a file and a folder of one name": (
        "z.zip",
        lambda: zipped({**BOT, "main.py/x": b""}),
        FOLDER,
    ),
    "a name that forges a line": ("z.zip", lambda: zipped({**BOT, "a\nb": b""}), SIGNS),
    "a name that is no text": ("z.zip", lambda: zipped({**BOT, "a\x1b[2J": b""}), SIGNS),
    "a backslash": ("z.zip", lambda: zipped({**BOT, "a\\x": b""}), SIGNS),
    "nothing": ("z.zip", lambda: b"", DAMAGED),
    "a zip that is cut short": ("z.zip", lambda: zipped(BOT)[:-9], DAMAGED),
    "a zip without its beginning": ("z.zip", lambda: zipped(BOT)[50:], DAMAGED),
    "another byte": ("z.zip", lambda: zipped(BOT, method=0).replace(b"dora", b"dara", 1), DAMAGED),
    "a list that is too long": ("z.zip", long_list, pattern("entrants", "archive-list", most="1")),
    "a huge zip's form": ("z.zip", zip64, pattern("entrants", "archive-zip64")),
    "more bytes than the list says": ("z.zip", lambda: lying(10), DAMAGED),
    "fewer bytes than the list says": ("z.zip", lambda: lying(2000), DAMAGED),
    "an archive in an archive": ("z.zip", lambda: zipped({"dora.zip": zipped(BOT)}), NO_BOT),
    "two bots": ("z.zip", lambda: zipped({"a/bot.toml": TOML, "b/bot.toml": TOML}), NO_BOT),
    "a bot two folders deep": ("z.zip", lambda: zipped({"a/b/bot.toml": TOML}), NO_BOT),
    "no file": ("z.zip", lambda: zipped({}), NO_BOT),
    "too many files": (
        "z.zip",
        lambda: zipped({**BOT, **{f"{n}": b"" for n in range(MOST_FILES)}}),
        pattern("entrants", "archive-files", count="502", most="500"),
    ),
    "too many entries": (
        "z.zip",
        lambda: zipped({**BOT, **{f".{n}": b"" for n in range(MOST_ENTRIES)}}),
        pattern("entrants", "archive-many", count="5,002", most="5,000"),
    ),
    "a bomb": (
        "z.zip",
        lambda: zipped({**BOT, "z": bytes(MOST_BYTES)}),
        pattern("entrants", "archive-large", most=MOST),
    ),
    "a small bomb": (
        "z.zip",
        lambda: zipped({**BOT, "z": bytes(2 << 20)}),
        pattern("entrants", "archive-ratio", most=str(MOST_RATIO)),
    ),
    "a path that leads up in a tar": ("t.tar", lambda: tarred({**BOT, "../x": b""}), OUTSIDE),
    "an absolute path in a tar": ("t.tar", lambda: tarred({**BOT, "/tmp/x": b""}), OUTSIDE),
    "a link in a tar": (
        "t.tar",
        lambda: tarred({**BOT, "l": b"/etc"}, {"l": tarfile.SYMTYPE}),
        kind("'l'", "a link"),
    ),
    "a hard link": (
        "t.tgz",
        lambda: tarred({**BOT, "l": b"bot.toml"}, {"l": tarfile.LNKTYPE}),
        kind("'l'", "a hard link"),
    ),
    "a device in a tar": (
        "t.tar",
        lambda: tarred({**BOT, "d": b""}, {"d": tarfile.BLKTYPE}),
        kind("'d'", "a device"),
    ),
    "a pipe in a tar": (
        "t.tar",
        lambda: tarred({**BOT, "p": b""}, {"p": tarfile.FIFOTYPE}),
        kind("'p'", "a pipe"),
    ),
    "a sparse file": (
        "t.tar",
        lambda: tarred({**BOT, "s": b""}, {"s": tarfile.GNUTYPE_SPARSE}),
        kind("'s'", "a sparse file"),
    ),
    "a sparse file by a header": ("t.tar", sparse, DAMAGED),
    "an unknown kind": (
        "t.tar",
        lambda: tarred({**BOT, "u": b""}, {"u": b"Z"}),
        kind("'u'", "of an unknown kind"),
    ),
    "one name twice in a tar": ("t.tar", lambda: tarred({**BOT, "main.py#2": b""}), SAME),
    "a name that is no text in a tar": ("t.tar", lambda: tarred({**BOT, "a\x1bb": b""}), SIGNS),
    "a long header": ("t.tar", long_header, DAMAGED),
    "a tar that is cut short": ("t.tar", lambda: tarred(BOT)[:1600], DAMAGED),
    "a tar without its end": ("t.tar", lambda: tarred(BOT)[:1536], DAMAGED),
    "a damaged header": ("t.tar", lambda: tarred(BOT).replace(b"main.py", b"nain.py"), DAMAGED),
    "a gzip that is cut short": ("t.tar.gz", lambda: gzip.compress(tarred(BOT))[:-9], DAMAGED),
    "a gzip with another sum": (
        "t.tar.gz",
        lambda: gzip.compress(tarred(BOT))[:-8] + bytes(8),
        DAMAGED,
    ),
    "a tar bomb": (
        "t.tar.gz",
        lambda: gzip.compress(bytes(MOST_DATA + 1)),
        pattern("entrants", "archive-large", most=MOST),
    ),
    "an endless list": (
        "t.tgz",
        lambda: gzip.compress(tarred({f".{n}": b"" for n in range(3 * MOST_ENTRIES + 3)})),
        pattern("entrants", "archive-many", count="5,001", most="5,000"),
    ),
    "a zip called a tar": ("t.tar", lambda: zipped(BOT), DAMAGED),
}


def everything(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.name != "archive")


@pytest.mark.parametrize("name", REFUSED)
def test_an_archive_is_refused_in_one_line_and_leaves_nothing(
    name: str, here: Path, tmp_path: Path
) -> None:
    file, data, words = REFUSED[name]
    packed = data()
    Path(file).write_bytes(
        gzip.compress(packed) if file.endswith("gz") and packed[:2] != b"\x1f\x8b" else packed
    )
    with pytest.raises(ConfigError) as caught:
        load(file)
    (problem,) = caught.value.problems
    assert re.fullmatch(rf"--bot {file}: {words}", problem), problem
    assert problem.isprintable()
    assert str(tmp_path) not in problem
    assert list(here.iterdir()) == [here / file]
    for private in tmp_path.joinpath("temporary").glob(PRIVATE):  # it goes when this process ends
        assert sum(path.stat().st_size for path in private.rglob("*")) < 100_000


def test_a_file_that_is_too_large_is_not_read(here: Path) -> None:
    with (here / "z.zip").open("wb") as file:
        file.truncate(MOST_DATA + 1)
    with pytest.raises(
        ConfigError, match=r"\A--bot z.zip: z.zip: it is longer than [\d,]+ bytes\Z"
    ):
        load("z.zip")


def test_a_mistake_in_the_bot_names_its_place_in_the_archive(here: Path, tmp_path: Path) -> None:
    (here / "z.zip").write_bytes(zipped({"d/bot.toml": b"run = 1\n"}))
    with pytest.raises(ConfigError) as caught:
        load("z.zip")
    assert all(
        problem.startswith("--bot z.zip: z.zip/bot.toml: ") for problem in caught.value.problems
    )
    assert str(tmp_path) not in str(caught.value)


def test_an_archive_includes_nothing_from_outside(here: Path) -> None:
    (here / "kit.py").write_text("secret")
    (here / "z.zip").write_bytes(
        zipped({**BOT, "bot.toml": TOML + f'include = ["..{here}/kit.py", "../kit.py"]\n'.encode()})
    )
    with pytest.raises(ConfigError, match="include names"):
        load("z.zip")


def test_a_folder_with_the_name_of_an_archive_is_a_folder(here: Path) -> None:
    made(here / "dora.zip")
    assert load("dora.zip").home == str(here / "dora.zip")


WHOLE = {
    "z.zip": zipped(BOT),
    "t.tar": tarred(BOT, way=tarfile.PAX_FORMAT),
    "t.tgz": gzip.compress(tarred(BOT)),
}


@pytest.mark.parametrize("name", WHOLE)
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200, deadline=None
)
@given(data=st.data())
def test_a_damaged_archive_is_a_bot_or_refused(
    name: str, data: st.DataObject, tmp_path: Path
) -> None:
    whole = bytearray(WHOLE[name])
    for place in data.draw(st.lists(st.integers(0, len(whole) - 1), min_size=1, max_size=4)):
        whole[place] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, 40))
    Path(name).write_bytes(whole[: len(whole) - cut])
    before = sorted(everything(tmp_path / "work"))
    problems: tuple[str, ...] = ()
    try:
        load(name)
    except ConfigError as error:
        problems = error.problems
    assert all(
        problem.startswith(f"--bot {name}: ") and problem.isprintable() for problem in problems
    )
    assert sorted(everything(tmp_path / "work")) == before


# --- by the command line ---


@pytest.fixture
def cup(here: Path) -> Path:
    """A settings file for all entries: a folder, a zip, a tar, and files that are no
    bots.
    """
    python = sys.executable
    for number, name in enumerate(("ann", "bob", "cy"), 1):
        text = Path(NAIVE, "bot.toml").read_text().replace('name = "', f'name = "{name}-')
        folder = here / "entries" / name
        folder.mkdir(parents=True)
        for file in Path(NAIVE).iterdir():
            if file.is_file():
                (folder / file.name).write_bytes(file.read_bytes())
        (folder / "bot.toml").write_text(text)
        (folder / "notes.txt").write_text(f"{python} {number}")
    as_it_is(here / "entries" / "bob", "bob", str(here / "entries" / "bob.zip"))
    with tarfile.open(here / "entries" / "cy.tar.gz", "w:gz") as archive:
        archive.add(here / "entries" / "cy", ".")
    for name in ("bob", "cy"):
        (here / name).mkdir()
        for path in (here / "entries" / name).iterdir():
            path.rename(here / name / path.name)
        (here / "entries" / name).rmdir()
    (here / "entries" / "README.md").touch()
    (here / "entries" / "late.rar").touch()
    (here / "cup.toml").write_text(
        'bots = ["entries/*"]\nseats = 2\nseeds = 1\nseed = "x"\nout = "out"\n'
    )
    return here


def test_a_run_takes_folders_zips_and_tars_and_finds_them_again(cup: Path) -> None:
    first = arena("run", "cup.toml", *TRUSTED, cwd=cup)
    lines = first.stderr.splitlines()
    assert "3 bots of entries/*" in lines
    reasons = {
        "README.md": sentence("entrants", "glob-file"),
        "late.rar": sentence("entrants", "archive-not-read"),
    }
    for name, reason in reasons.items():
        assert (
            sentence(
                "entrants",
                "glob-not-taken",
                word="entries/*",
                paths=f"entries/{name}",
                reason=reason,
            )
            in lines
        )
    assert arena("run", "cup.toml", *TRUSTED, cwd=cup).stdout == first.stdout
    assert (
        len(
            json.loads(arena("standings", "out", "--json", cwd=cup).stdout)["standings"][0][
                "events"
            ]
        )
        == 1
    )
    text = (
        (cup / "cup.toml")
        .read_text()
        .replace('"entries/*"', '"entries/ann", "bob", "cy"')
        .replace('"out"', '"folders"')
    )
    (cup / "folders.toml").write_text(text)
    arena("run", "folders.toml", *TRUSTED, cwd=cup)
    assert arena("verify", "out", cwd=cup).stdout == arena("verify", "folders", cwd=cup).stdout, (
        "they are the same bots"
    )
    (cup / "folders.toml").write_text(text.replace('"folders"', '"out"'))
    over = arena("run", "folders.toml", *TRUSTED, cwd=cup)
    assert over.stdout == first.stdout, "the event goes on with the unpacked folders"
    again = arena("match", "--from", "out", "1/0", *TRUSTED, cwd=cup)
    assert "digest" in again.stdout


def test_a_broken_archive_stops_a_run_unless_broken_bots_are_left_out(cup: Path) -> None:
    for name in ("dora.zip", "emil.tar"):
        (cup / "entries" / name).write_bytes(b"PK")
    done = arena("run", "cup.toml", *TRUSTED, cwd=cup, code=2)
    broken = [
        line
        for line in done.stderr.splitlines()
        if "entries/dora.zip" in line or "entries/emil.tar" in line
    ]
    assert len(broken) == 2
    assert all(re.search(DAMAGED, line) for line in broken)
    assert not (cup / "out").exists()
    arena("run", "cup.toml", "--skip-broken", *TRUSTED, cwd=cup)
    words = " ".join(arena("standings", "out", cwd=cup).stdout.split())
    whys = {
        "dora.zip": Why.UNREAD,
        "emil.tar": Why.UNREAD,
        "late.rar": Why.NO_BOT,
        "README.md": Why.NO_BOT,
    }
    assert all(f"{name}: {why}: " in words for name, why in whys.items())


def test_many_bots_are_counted_and_not_listed(here: Path) -> None:
    for number in range(5):
        made(here / "entries" / f"{number}")
    glob = arena("run", "--bot", "entries/*", cwd=here, code=2).stderr
    assert sentence("entrants", "glob-in-a-file", word='"entries/*"', count="5 bots") in glob
    words = [f"entries/{number}" for number in range(5)]
    without = arena("run", *words, cwd=here, code=2).stderr
    assert sentence("cli", "bots-without-flag", count="5", word='"entries/*"') in without
