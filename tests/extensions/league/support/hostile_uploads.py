"""Uploads of people who mean harm: each is to be refused, in words, and to leave
nothing behind.
"""

from collections.abc import Callable
from typing import NamedTuple

import msgspec
from uploads import TOML, folder_of_files, packed_by_hand, stream

from khiva_arena.entrants.archive import LENGTH_BYTES, MAGIC, MOST_BYTES, MOST_FILES, MOST_HEAD


class HostileUpload(NamedTuple):
    """``about``: a name for a test. ``make``: its stream. ``name``: that of the bot."""

    about: str
    make: Callable[[], bytes]
    name: str = ""


def _raw(about: str, data: bytes) -> HostileUpload:
    return HostileUpload(f"stream: {about}", lambda: data)


def _head(about: str, head: object, data: bytes = b"") -> HostileUpload:
    return HostileUpload(f"head: {about}", lambda: stream(msgspec.msgpack.encode(head), data))


def _file(about: str, name: str) -> HostileUpload:
    return HostileUpload(
        f"file: {about}",
        lambda: packed_by_hand([("bot.toml", TOML.encode()), ("main.py", b""), (name, b"x")]),
    )


def _files(about: str, *names: str) -> HostileUpload:
    return HostileUpload(f"files: {about}", lambda: packed_by_hand([(name, b"") for name in names]))


def _toml(about: str, toml: str | bytes, **files: str | bytes) -> HostileUpload:
    return HostileUpload(f"bot.toml: {about}", lambda: folder_of_files(dict(files), toml))


def _named(name: str) -> HostileUpload:
    return HostileUpload(
        f"name: {ascii(name)[:30]}", lambda: folder_of_files({"main.py": f"# {name!r}"}), name
    )


SOUND = folder_of_files({})
STREAMS = [
    _raw("nothing", b""),
    _raw("a line end", b"\n"),
    _raw("half of its first line", MAGIC[:9]),
    _raw("another version", SOUND.replace(b"files-1", b"files-2", 1)),
    _raw("a zip", b"PK\3\4" + bytes(60)),
    _raw("a tar", b"bot.toml" + bytes(504)),
    _raw("gzip", b"\x1f\x8b\x08" + bytes(60)),
    _raw("a page", b"<!doctype html><script>alert(1)</script>"),
    _raw("a program", b"\x7fELF" + bytes(60)),
    _raw("no length", MAGIC),
    _raw("half a length", MAGIC + b"\0\0"),
    _raw("no head", MAGIC + (9).to_bytes(LENGTH_BYTES)),
    _raw("the longest length", MAGIC + b"\xff" * LENGTH_BYTES + bytes(100)),
    _raw("a head of no bytes", MAGIC + bytes(LENGTH_BYTES)),
    _raw("a byte less", SOUND[:-1]),
    _raw("a byte more", SOUND + b"\0"),
    _raw("twice", SOUND * 2),
    _raw("half", SOUND[: len(SOUND) // 2]),
    _raw("a head that is too long", stream(bytes(MOST_HEAD + 1))),
    HostileUpload(
        "stream: too many bytes",
        lambda: folder_of_files({"more": bytes(MOST_BYTES + MOST_HEAD + 100)}),
    ),
]
HEADS = [
    _head("nothing", []),
    _head("null", None),
    _head("a number", 7),
    _head("a text", "bot.toml"),
    _head("a map", {"bot.toml": 0}),
    _head("numbers", [1, 2]),
    _head("texts", ["bot.toml"]),
    _head("a file of one field", [["bot.toml"]]),
    _head("a file of four fields", [["bot.toml", 0, False, "link"]]),
    _head("a link", [["bot.toml", 0, "/etc/passwd"]]),
    _head("a number as a name", [[1, 0, False]]),
    _head("bytes as a name", [[b"bot.toml", 0, False]]),
    _head("a negative size", [["bot.toml", -1, False]]),
    _head("sizes that cancel out", [["bot.toml", 5, False], ["main.py", -5, False]]),
    _head("a size beyond all bounds", [["bot.toml", 2**62, False]]),
    _head("a size that is a float", [["bot.toml", 1.0, False]], b"x"),
    _head(
        "sizes that add up to too much", [[f"{n}", MOST_BYTES, False] for n in range(MOST_FILES)]
    ),
    _head("a size of bytes that did not come", [["bot.toml", 9, False]]),
    _head("too many files", [[f"{n}", 0, False] for n in range(MOST_FILES + 1)]),
    _head("mode bits", [["bot.toml", 0, 0o4755]]),
    HostileUpload("head: brackets", lambda: stream(b"\x91" * 5_000)),
    HostileUpload("head: an array of four billion", lambda: stream(b"\xdd\xff\xff\xff\xff")),
    HostileUpload(
        "head: a name of four billion bytes", lambda: stream(b"\x91\x93\xdb\xff\xff\xff\xff")
    ),
    HostileUpload("head: half of a letter", lambda: stream(b"\x91\x93\xa2\xc3(\0\xc2")),
    HostileUpload("head: two of them", lambda: stream(b"\x90\x90")),
    HostileUpload("head: JSON", lambda: stream(b'[["bot.toml", 0, false]]')),
]
PATHS = [
    *(
        _file("a way out", name)
        for name in ("../x", "../../x", "a/../../x", "a/../x", "..", "a/..", "../bots/anchors/x")
    ),
    *(_file("from the root", name) for name in ("/etc/cron.d/x", "/tmp/x", "//x", "/")),
    *(_file("home", name) for name in ("~/x", "~root/.ssh/x", "$HOME/x")),
    *(_file("this folder", name) for name in (".", "./x", "a/./x", "a//x", "a/", " ", "...")),
    *(
        _file("of Windows", name)
        for name in ("a\\b", "..\\x", "C:\\x", "C:x", "x:stream", "x.", "x ", " x")
    ),
    *(
        _file("signs", name)
        for name in ("a\nb", "a\0b", "a\tb", "\x1b[2J", "a\u202eb", "a\u2028b", "\ufeffx", "\x7f")
    ),
    *(
        _file("letters", name)
        for name in ("m\u0430in.py", "\u00e9", "e\u0301", "\U0001f600", "\uff0e\uff0e", "\u2044x")
    ),
    *(
        _file("for a shell", name)
        for name in (
            "$(id)",
            "`id`",
            "a;id",
            "a|id",
            "a&b",
            "*",
            "?",
            "[a]",
            "{a}",
            "a'b",
            'a"b',
            "#x",
        )
    ),
    *(_file("for a page", name) for name in ("<script>", "a&lt;", "%2e%2e", "a=b")),
    _file("too long", "a" * 101),
    _file("too long in all", "/".join(["a" * 60] * 4)),
    _file("too deep", "/".join("abcdefghi")),
    _files("no bot.toml", "main.py"),
    _files("a bot.toml of another case", "BOT.toml", "main.py"),
    _files("a bot.toml in a folder", "bot/bot.toml", "bot/main.py"),
    _files("one name twice", "bot.toml", "main.py", "main.py"),
    _files("two bot.toml", "bot.toml", "bot.toml"),
    _files("two cases of a name", "bot.toml", "Main.py", "main.py"),
    _files("a file that is a folder", "bot.toml", "a", "a/b"),
    _files("a folder that is a file", "bot.toml", "a/b", "a"),
    _files("a folder that is a file in another case", "bot.toml", "A/b", "a"),
    _files("a bot.toml that is a folder", "bot.toml", "bot.toml/x"),
]
MANIFESTS = [
    _toml("empty", ""),
    _toml("zeros", bytes(100)),
    _toml("no text", b"\xff\xfe\0"),
    _toml("no TOML", "{"),
    _toml("long digits", f"{TOML}x = {'9' * 6_000}\n"),
    _toml("deep", f"{TOML}x = {'[' * 100_000}\n"),
    _toml("dotted", f"{TOML}{'a.' * 100_000}a = 1\n"),
    _toml("long", TOML + "#" * 1_000_001),
    _toml("no name", 'run = "{python} main.py"\n'),
    _toml("no run", 'name = "a"\n'),
    _toml("an empty run", 'name = "a"\nrun = ""\n'),
    _toml("a list", 'name = "a"\nrun = ["{python}", "main.py"]\n'),
    _toml("an unknown key", f"{TOML}network = true\n"),
    _toml("permissions", f"{TOML}trust_bots = true\n"),
    _toml("a name that hides", TOML.replace('"a"', '"\\u001b[2J"')),
    _toml("too long a name", TOML.replace('"a"', "'" + "a" * 65 + "'")),
    _toml("a program elsewhere", 'name = "a"\nrun = "/bin/sh -c id"\n'),
    _toml("a program beside it", 'name = "a"\nrun = "../anchors/greedy/main.py"\n'),
    _toml("a way out", 'name = "a"\nrun = "{python} ../../league.toml"\n'),
    _toml("the passwords", 'name = "a"\nrun = "{python} /etc/shadow"\n'),
    _toml("a build elsewhere", f'{TOML}build = "/tmp/x"\n'),
    _toml("quotes that do not end", 'name = "a"\nrun = "sh -c \'"\n'),
    _toml("a line end in a command", 'name = "a"\nrun = "{python} main.py\\nid"\n'),
    _toml("an unknown runtime", 'name = "a"\nrun = "{root} main.py"\n'),
    _toml("files of another folder", f'{TOML}files = ["../*"]\n'),
    _toml("files from the root", f'{TOML}files = ["/etc/*"]\n'),
    _toml("files that are not there", f'{TOML}files = ["nothing"]\n'),
    _toml("stars", TOML + 'files = ["' + "**/" * 200 + 'nothing"]\n'),
    _toml("too many globs", TOML + "files = [" + '"*", ' * 1_001 + "]\n"),
    _toml("the settings of the league", f'{TOML}include = ["../../league.toml"]\n'),
    _toml("the queue", f'{TOML}include = ["../../queue.db"]\n'),
    _toml("an anchor's program", f'{TOML}include = ["../anchors/random/main.py"]\n'),
    _toml("the users by include", f'{TOML}include = ["/etc/passwd"]\n'),
    _toml("a module that is missing", 'name = "a"\nmodule = "a.wasm"\n'),
    _toml("a module and a program", f'{TOML}module = "main.py"\n'),
    _toml("a module elsewhere", 'name = "a"\nmodule = "../a.wasm"\n'),
    _toml("another game", f'{TOML}games = ["emira"]\n'),
    _toml("no game at all", f'{TOML}games = ["<b>"]\n'),
]
BOT_NAMES = [
    *map(
        _named,
        (
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "javascript:alert(1)",
            '" onload="x',
            "a&b",
            "{{7*7}}",
        ),
    ),
    *map(
        _named,
        (
            "'; DROP TABLE entries; --",
            "$(id)",
            "`id`",
            "../x",
            "a/b",
            "a\\b",
            "%00",
            "a\0b",
            "\x1b]0;x\x07",
            "a\nb",
        ),
    ),
    *map(
        _named,
        (
            "\u0430nn",
            "ann\u200b",
            "\u202enna",
            "\uff41nn",
            "\u00e9",
            "\U0001f600",
            "a\u0301",
            "\u2028",
        ),
    ),
    *map(_named, ("", " ", "a ", " a", "a  b", "...", "--json", "-a", "a_", "a" * 41)),
    *map(_named, ("greedy", "Greedy", "gree-dy", "GREEDY", "rand0m", "randorn", "RANDOM.")),
]  # the last line: names of the anchors, or what looks like them
HOSTILE = [*STREAMS, *HEADS, *PATHS, *MANIFESTS, *BOT_NAMES]
