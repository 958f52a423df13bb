"""A bot that is opened to the network and handed a key: what it can do, what marks it,
and that its key stands nowhere.
"""

import csv
import gzip
import io
import json
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pages
import pytest
from arena import C, arena, bots
from greeter import greeting
from stores import RANDOM
from wording import sentence

from khiva_arena.bots.sandbox.detect import best
from khiva_arena.bots.sandbox.level import Level

pytestmark = pytest.mark.slow

KEY = "sk-d0-n0t-keep-th1s-anywhere"
ASKS = """
import os, sys, socket
from khiva_kit import play

key = os.environ.get("API_KEY", "no key")
word = "no answer"
try:
    word = socket.create_connection(("127.0.0.1", PORT), 5).recv(100).decode()
except OSError as error:
    print("no network:", error.strerror, file=sys.stderr)
print("my key is", key, "and the server says", word, file=sys.stderr)
print(key[:10], end="", file=sys.stderr, flush=True)
print(key[10:], file=sys.stderr, flush=True)

if __name__ == "__main__":
    play(key if LEAKS else "asks", lambda decide, match: 0, version=key)
"""
GAME = ("--rule", "max_turns=2", "--seats", "2", "--seeds", "1", "--seed", "s")


@pytest.fixture
def port() -> Iterator[int]:
    with greeting(b"fold") as port:
        yield port


@pytest.fixture
def asks(tmp_path: Path, port: int) -> str:
    """A bot that needs a server and a key."""
    return made(tmp_path, port)


def made(folder: Path, port: int, *, leaks: bool = False) -> str:
    bot = folder / "asks"
    bot.mkdir(parents=True)
    kit = (Path(C).parent.parent / "python" / "kit" / "khiva_kit.py").read_text()
    (bot / "khiva_kit.py").write_text(kit)
    (bot / "main.py").write_text(ASKS.replace("PORT", str(port)).replace("LEAKS", str(leaks)))
    (bot / "bot.toml").write_text('name = "asks"\nrun = "{python} main.py"\nfiles = ["*.py"]\n')
    return str(bot)


def bytes_below(folder: Path) -> dict[str, bytes]:
    """All files, those that are compressed as they are and unpacked."""
    found = {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    found["bundle, unpacked"] = gzip.decompress((folder / "all.bundle").read_bytes())
    found["page, unpacked"] = pages.text(folder / "page.html").encode()
    return found


def test_a_run_keeps_no_key_and_marks_the_seat(tmp_path: Path, asks: str) -> None:
    out = tmp_path / "out"
    out.mkdir()
    opened = ("--network", "asks", "--env", "asks=API_KEY")
    files = ("--events-file", "out/events.jsonl", "--report", "out/page.html", "--out", "out/store")
    run = ("run", *bots(asks, RANDOM), *GAME, *opened, *files)
    printed = [arena(*run, cwd=tmp_path, env={"API_KEY": KEY})]
    printed += [
        arena(*words, cwd=tmp_path)
        for words in (
            ("standings", "out/store"),
            ("standings", "out/store", "--json"),
            ("export", "out/store", "--format", "csv"),
            ("export", "out/store", "--format", "jsonl"),
            ("bundle", "out/store", "out/all.bundle"),
            ("verify", "out/all.bundle"),
            ("verify", "out/store"),
            ("show", "out/store", "1/0", "--notes"),
            ("show", "out/store"),
            ("watch", "out/events.jsonl"),
        )
    ]
    table, as_json, sheet, lines, shown, listed = (printed[at].stdout for at in (1, 2, 3, 4, 8, 9))
    # the mark
    (head,) = [line for line in table.splitlines() if line.startswith("rank ")]
    assert head.split()[:3] == ["rank", "bot", "marks"]
    (marked,) = [line for line in table.splitlines() if " asks " in line and "network" in line]
    assert marked.split()[1:3] == ["asks", "network"]
    assert "network: " + sentence("report", "cell-open-network") in " ".join(table.split())
    assert {row["name"]: row["marks"] for row in json.loads(as_json)["standings"][0]["rows"]} == {
        "asks": ["network"],
        "random": [],
    }
    assert {(row["bot"], row["marks"]) for row in csv.DictReader(io.StringIO(sheet))} == {
        ("asks", "network"),
        ("random", ""),
    }
    seats = [seat for line in lines.splitlines() for seat in json.loads(line)["seats"]]
    assert {(seat["bot"], *seat["marks"]) for seat in seats} == {("asks", "network"), ("random",)}
    seats_of_page = {
        bot["name"]: bot for bot in pages.blocks(out / "page.html")["data"]["events"][0]["bots"]
    }
    assert (list(seats_of_page["asks"]["marks"]), seats_of_page["asks"]["env"]) == (
        ["network"],
        ["API_KEY"],
    )
    assert (seats_of_page["random"]["marks"], seats_of_page["random"]["env"]) == ({}, [])
    (begun,) = [
        line for line in (out / "events.jsonl").read_text().splitlines() if '"begin"' in line
    ]
    assert dict(zip(json.loads(begun)["bots"], json.loads(begun)["marks"], strict=True)) == {
        "asks": ["network"],
        "random": [],
    }
    said = "marked  asks=network"
    assert [(one.stdout + one.stderr).count(said) for one in (printed[0], printed[10])] == [
        1,
        1,
    ]  # the run, and ``watch``
    assert (
        shown.count("is marked network: " + sentence("report", "cell-open-network"))
        == shown.count(" is marked ")
        == 1
    )
    assert "asks [network] " in listed
    assert "random [" not in listed
    # it had what was opened to it
    assert "my key is [API_KEY] and the server says fold" in shown
    # the key is nowhere
    everything = bytes_below(out) | {
        str(number): (one.stdout + one.stderr).encode() for number, one in enumerate(printed)
    }
    assert not [name for name, data in everything.items() if KEY.encode() in data]
    assert (
        len([name for name, data in everything.items() if b"API_KEY" in data]) >= 4
    )  # so it was looked for in what was read
    # the same command finds its event again, one with less does not
    assert "nothing is played" in arena(*run, cwd=tmp_path, env={"API_KEY": KEY}).stderr


@pytest.mark.skipif(best() is Level.TRUSTED, reason="at trusted all have a network")
def test_without_it_there_is_no_network_and_no_key(tmp_path: Path, asks: str) -> None:
    said = arena(
        "match",
        *bots(asks, C),
        "--rule",
        "max_turns=2",
        "--notes",
        cwd=tmp_path,
        env={"API_KEY": KEY},
    ).stdout
    assert "no network:" in said
    assert "my key is no key and the server says no answer" in said


@pytest.mark.parametrize("level", [Level.STRICT, Level.STANDARD], indirect=True)
def test_the_network_of_one_bot_is_no_other_bots(tmp_path: Path, asks: str, level: Level) -> None:
    """As the command puts both bots of one match into their cells;
    tests/bots/sandbox/test_network.py has level basic, too.
    """
    other = shutil.copytree(asks, tmp_path / "other")
    (other / "bot.toml").write_text((other / "bot.toml").read_text().replace('"asks"', '"other"'))
    words = (
        "match",
        *bots(asks, str(other)),
        "--network",
        "asks",
        "--rule",
        "max_turns=2",
        "--notes",
        "--isolation",
        str(level),
    )
    done = arena(*words, cwd=tmp_path)
    said = [line for line in done.stdout.splitlines() if "and the server says" in line]
    assert (
        sum("says fold" in line for line in said)
        == sum("says no answer" in line for line in said)
        == 1
    ), done.stdout


@pytest.mark.parametrize("leaks", [False, True])
def test_what_a_bot_says_elsewhere_has_no_key_either(
    tmp_path: Path, port: int, leaks: bool
) -> None:
    """In its hello, which a trace shows."""
    words = bots(made(tmp_path, port, leaks=leaks), C)
    opened = ("--network", "asks", "--env", "asks=API_KEY")
    done = arena(
        "match",
        *words,
        *opened,
        "--rule",
        "max_turns=2",
        "--notes",
        "--trace",
        cwd=tmp_path,
        env={"API_KEY": KEY},
    )
    assert "the server says fold" in done.stdout
    assert '"version":"[API_KEY]"' in done.stderr.replace(" ", "")
    assert KEY not in done.stdout + done.stderr


def test_a_bot_that_prints_its_key_on_stdout_does_not_show_it(tmp_path: Path) -> None:
    bot = tmp_path / "prints"
    bot.mkdir()
    (bot / "main.py").write_text("import os\nprint(os.environ['API_KEY'], flush=True)\n")
    (bot / "bot.toml").write_text(
        'name = "prints"\nrun = "{python} main.py"\nfiles = ["main.py"]\n'
    )
    env = {"API_KEY": KEY}
    failed = arena(
        "match", *bots(str(bot), C), "--env", "prints=API_KEY", cwd=tmp_path, env=env, code=2
    )
    checked = arena(
        "check", str(bot), "--quick", "--env", "prints=API_KEY", cwd=tmp_path, env=env, code=1
    )
    for done in (failed, checked):
        assert "[API_KEY]" in done.stdout + done.stderr
        assert KEY not in done.stdout + done.stderr


@pytest.mark.soak
def test_a_check_opens_it_too(tmp_path: Path, asks: str) -> None:
    opened = ("--network", "asks", "--env", "asks=API_KEY")
    done = arena(
        "check", asks, "--quick", "--game", "khiva", *opened, cwd=tmp_path, env={"API_KEY": KEY}
    )
    assert "--network asks --env asks=API_KEY" in done.stdout
    assert KEY not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ("--network", "ask"),
            sentence("settings", "network-no-bot-called-2")
            + " 'ask' (did you mean asks?); there are asks, random",
        ),
        (
            ("--env", "asks=NOT_SET"),
            sentence("settings", "env-not-set-export", word="asks=NOT_SET", variable="NOT_SET"),
        ),
        (
            ("--env", "who=API_KEY"),
            "--env who=API_KEY: no bot called 'who'; there are asks, random",
        ),
        (
            ("--env", "asks=PATH"),
            sentence("settings", "env-arenas-set-bot", word="asks=PATH", variable="PATH"),
        ),
        (
            ("--env", "asks=LD_PRELOAD"),
            sentence(
                "settings", "env-arenas-set-bot", word="asks=LD_PRELOAD", variable="LD_PRELOAD"
            ),
        ),
        (
            ("--env", f"asks={KEY}"),
            sentence("settings", "env-write-env-name"),
        ),
    ],
)
@pytest.mark.parametrize("verb", ["run", "match"])
def test_what_cannot_be_opened_is_said_in_a_line(
    tmp_path: Path, asks: str, verb: str, words: tuple[str, str], says: str
) -> None:
    seated = bots(asks, RANDOM)
    more = ("--seats", "2") if verb == "run" else ()
    done = arena(verb, *seated, *more, *words, cwd=tmp_path, env={"API_KEY": KEY}, code=2)
    assert says in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert KEY not in done.stderr


def test_a_settings_file_says_the_same(tmp_path: Path, asks: str) -> None:
    (tmp_path / "cup.toml").write_text(
        f'bots = ["{asks}", "{RANDOM}"]\nseats = 2\nseeds = 1\nout = "store"\nnetwork = ["asks"]\n'
        'env = ["asks=API_KEY", "asks=OTHER_KEY"]\n[rules]\nmax_turns = 2\n'
    )
    done = arena("run", "cup.toml", cwd=tmp_path, env={"API_KEY": KEY}, code=2)
    assert "cup.toml:6: --env asks=OTHER_KEY: OTHER_KEY is not set" in done.stderr
    opens = ("--network", "asks", "--env", "asks=API_KEY", "--env", "asks=OTHER_KEY")
    assert f"add: {' '.join(opens)} (or" in done.stderr
    arena("run", "cup.toml", *opens, cwd=tmp_path, env={"API_KEY": KEY, "OTHER_KEY": "another"})
    assert "network" in arena("standings", "store", cwd=tmp_path).stdout


def test_a_stored_match_is_played_again_with_it_or_a_warning(tmp_path: Path, asks: str) -> None:
    opened = ("--network", "asks", "--env", "asks=API_KEY")
    env = {"API_KEY": KEY}
    arena("run", *bots(asks, RANDOM), *GAME, *opened, "--out", "store", cwd=tmp_path, env=env)
    warned = arena("match", "--from", "store", "1/0", cwd=tmp_path)
    flags = shlex.join(opened)
    assert (
        f"asks played with a network, and has none now; if it is yours, {flags} opens it"
        in warned.stderr
    )
    shown = arena("show", "store", "1/0", cwd=tmp_path).stdout
    at = ["--isolation", Level.TRUSTED] if best() is Level.TRUSTED else []  # the event's own level
    if_yours = sentence("show", "if-yours", flags=shlex.join([*opened, *at]))
    assert (
        sentence("show", "play-it-again", command="khiva-arena match --from store 1/0") + if_yours
        in shown
    )
    last = Path(made(tmp_path / "of another folder", 1))  # it chooses otherwise
    (last / "main.py").write_text(
        (last / "main.py").read_text().replace("match: 0", 'match: len(decide["legal"]) - 1')
    )
    played_on = [arena("replay", "store", "1/0", "--bot", str(last), cwd=tmp_path, code=1).stderr]
    of_losses = [
        ("--lost", lost, "--bot", bot) for lost in ("asks", "random") for bot in (asks, str(last))
    ]
    played_on += [
        arena("replay", "store", *words, cwd=tmp_path, code=None).stderr for words in of_losses
    ]
    lines = [
        line
        for said in played_on
        for line in said.splitlines()
        if "khiva-arena match --from store" in line
    ]
    assert sentence("replay", "play-it-out", command="khiva-arena") in lines[0]
    assert len(lines) > 1
    assert all(line.endswith(if_yours) for line in lines)
    again = arena("match", "--from", "store", "1/0", "--notes", *opened, cwd=tmp_path, env=env)
    assert "the server says fold" in again.stdout
    assert "warning" not in again.stderr
