"""Words that others wrote, and what each command prints of them."""

import json
import shutil
import sqlite3
import tarfile
from collections.abc import Callable
from contextlib import closing
from itertools import product
from pathlib import Path

import msgpack
import pytest
from arena import arena
from evil import (
    BESIDE,
    EVIL,
    HELD,
    evil_bot,
    evil_bundles,
    evil_details,
    evil_store,
    harmless,
    rotted,
)
from fake_league import SENT, TOKEN, fake_league
from forging import forge
from made_league import MadeLeague
from published import HERE, published
from sample_stream import begin
from stores import RANDOM

from khiva_arena.bots.sandbox.detect import levels
from khiva_arena.common import stream
from khiva_arena.common.exit_codes import BUG, INTERRUPTED, rows_of
from khiva_arena.common.stream import encoded
from khiva_arena.interface.cli.main import run

Said = pytest.CaptureFixture[str]


PLACE = "khiva-round-robin"


def told(capsys: Said, *words: str) -> tuple[int, str]:
    """What a command says, found harmless."""
    code = run(list(words))
    out, err = capsys.readouterr()
    harmless(out + err)
    assert "Traceback" not in err, err
    assert code in (0, 1, 2), err
    if "--json" in words and out:
        for line in out.splitlines():
            json.loads(line)
    return code, out + err


class Place:
    """Folders with what others wrote."""

    def __init__(self, folder: Path, capsys: Said) -> None:
        self.folder = folder
        self.capsys = capsys

    def stores(self) -> list[Path]:
        """With evil in each of their columns in turn, and one with it in all that are
        only printed.
        """
        sound = published(PLACE, self.folder)
        found = [Path(shutil.copytree(sound, self.folder / "all"))]
        evil_details(found[0])
        for table, column in BESIDE:
            evil_store(found[0], table, column)
        for table, column in HELD:
            found.append(Path(shutil.copytree(sound, self.folder / f"{table}-{column}")))
            evil_store(found[-1], table, column)
        return found

    def say(self, *words: str) -> tuple[int, str]:
        return told(self.capsys, *words)

    def live(self, *words: str) -> str:
        """With real bots, in a process of its own."""
        done = arena(*words, cwd=self.folder, code=None)
        harmless(done.stdout + done.stderr)
        assert "Traceback" not in done.stderr, done.stderr
        assert done.returncode in {row.code for row in rows_of(words[0])} - {BUG, INTERRUPTED}, (
            done.stderr
        )
        return done.stdout + done.stderr

    def bots(self) -> list[Path]:
        return [evil_bot(self.folder / how, how) for how in ("hello", "type", "key")]


def stored(*words: str) -> Callable[[Place], None]:
    """A command that reads a store."""

    def check(place: Place) -> None:
        said = [place.say(words[0], str(store), *words[1:])[1] for store in place.stores()]
        assert any("owned" in text for text in said), (
            "nothing of it was printed: the test tests nothing"
        )

    return check


def _export(place: Place) -> None:
    for store in place.stores():
        for form in ("csv", "jsonl", "pgn"):
            place.say("export", str(store), "--format", form)


def _show(place: Place) -> None:
    stored("show")(place)
    assert (
        "illegal at step 1: \\x1b]0;owned" in place.say("show", str(place.folder / "all"), "1/0")[1]
    )
    for store in place.folder.iterdir():
        for more in ((), ("--notes",), ("--json",), ("--notes", "--json")):
            place.say("show", str(store), "1/0", *more)
            place.say("show", str(store), *more)


def _verify(place: Place) -> None:
    stored("verify")(place)
    for store in place.folder.iterdir():
        place.say("verify", str(store), "--json")
    path = place.folder / "bundle"
    said = []
    for content in evil_bundles(HERE / "0.1.0" / PLACE / "bundle"):
        path.write_bytes(content)
        said.append(place.say("verify", str(path))[1])
    assert any("owned" in text for text in said)
    place.say("verify", str(path), "--json")


def _bundle(place: Place) -> None:
    for store in place.stores():
        place.say("bundle", str(store), str(place.folder / f"{store.name}{EVIL}"))


def _merge(place: Place) -> None:
    every = product(place.stores(), ((), ("--json",), ("--event", EVIL)))
    said = [
        place.say("merge", str(store), "--out", f"{store}{EVIL}", *more)[1] for store, more in every
    ]
    assert any("owned" in text for text in said)


def _close(place: Place) -> None:
    """Of an event that is over, and of one that nobody knows."""
    for store in place.stores():
        place.say("close", str(store), "1", "--yes")
        assert "owned" in place.say("close", str(store), EVIL, "--yes")[1]


def _report(place: Place) -> None:
    names = place.folder / f"names{EVIL}.json"
    names.write_text(json.dumps({"first": EVIL}))
    said = []
    for store in place.stores():
        page = str(place.folder / f"{store.name}{EVIL}.html")
        said.append(place.say("report", str(store), "--out", page, "--replays", "none")[1])
        place.say(
            "report",
            str(store),
            "--out",
            page,
            "--notes",
            "--title",
            EVIL,
            "--names",
            str(names),
            "--matches",
            "1/0",
        )
    assert any("owned" in text for text in said)
    place.say(
        "report",
        str(store),
        "--out",
        page,
        "--replays",
        "all",
        "--for-authors",
        str(place.folder / f"authors{EVIL}"),
    )
    names.write_text(json.dumps({EVIL: EVIL}))
    place.say("report", str(store), "--out", page, "--names", str(names))


def _replay(place: Place) -> None:
    for store in place.stores():
        place.say("replay", str(store), "1/0", "--bot", EVIL)
    bot = place.bots()[1]
    assert "owned" in place.live(
        "replay",
        "finished",
        "1/0",
        "--seat",
        "0",
        "--bot",
        str(bot),
        "--isolation",
        "trusted",
        "--notes",
    )


def _match(place: Place) -> None:
    bots = place.bots()
    for bot in bots:
        words = [
            "match",
            "--bot",
            str(bot),
            "--bot",
            RANDOM,
            "--isolation",
            "trusted",
            "--notes",
            "--trace",
            "--seed",
            "x",
        ]
        assert "owned" in place.live(*words)
    for store in place.stores():
        place.say("match", "--from", str(store), "1/0", "--bot", EVIL)


def _run(place: Place) -> None:
    bots = [part for bot in place.bots() for part in ("--bot", str(bot))]
    words = [
        "run",
        *bots,
        "--bot",
        RANDOM,
        "--isolation",
        "trusted",
        "--seats",
        "2",
        "--seeds",
        "1",
        "--out",
        f"o{EVIL}",
    ]
    said = place.live(*words)
    assert "owned" in said
    settings = place.folder / f"set{EVIL}.toml"
    for key in ("seats", "format", "game", "turn", "bots", "engines", EVIL, "rules", "stage"):
        for value in (EVIL, [EVIL], {EVIL: EVIL}, [{EVIL: EVIL, "name": EVIL}]):
            settings.write_text(f"{json.dumps(key)} = {toml(value)}\n")
            place.say("run", str(settings))
    settings.write_text(EVIL)
    place.say("run", str(settings))
    for key in ("name", "version", "run", "build", "games", "files", "include", "author", EVIL):
        for value in (EVIL, [EVIL], {EVIL: EVIL}):
            good = {"name": "a", "version": "1", "run": "{python} main.py", key: value}
            text = "".join(f"{json.dumps(key)} = {toml(value)}\n" for key, value in good.items())
            (place.folder / "key" / "bot.toml").write_text(text)
            place.say(
                "run",
                "--bot",
                str(place.folder / "key"),
                "--bot",
                str(place.folder / "key"),
                "--seats",
                "2",
            )
    (place.folder / "engines.json").write_text(
        json.dumps([{"name": EVIL, "command": EVIL, "protocol": EVIL, EVIL: EVIL}])
    )
    place.say("run", "--engines", str(place.folder / "engines.json"))


def toml(value: object) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml(key)} = {toml(item)}" for key, item in value.items()) + "}"
    return (
        '"'
        + "".join(c if c.isprintable() and c != '"' else f"\\U{ord(c):08x}" for c in str(value))
        + '"'
    )


def _play(place: Place) -> None:
    """A bot that cannot play: before anybody can sit down."""
    bot = place.bots()[0]
    said = ""
    for key in ("name", "version", "run", "build", "games", "author"):
        good = {"name": "a", "version": "1", "run": "{python} main.py", key: EVIL}
        (bot / "bot.toml").write_text(
            "".join(f"{json.dumps(key)} = {toml(value)}\n" for key, value in good.items())
        )
        said += place.live(
            "play",
            "--no-open",
            "--bot",
            str(bot),
            "--bot",
            RANDOM,
            "--isolation",
            "trusted",
            "--start",
            "1s",
        )
    assert "owned" in said


def _relay(place: Place) -> None:
    token = place.folder / f"token{EVIL}"
    token.write_text(EVIL)
    assert "owned" in place.live("relay", "127.0.0.1:1", EVIL, "--token", str(token), "--", EVIL)
    assert "owned" in place.live("relay", EVIL, "ann", "--", EVIL)


def _sprt(place: Place) -> None:
    bots = list(map(str, place.bots()))
    how = [
        "--isolation",
        "trusted",
        "--seats",
        "2",
        "--seeds",
        "32",
        "--elo1",
        "300",
        "--out",
        f"o{EVIL}",
    ]
    assert "owned" in place.live("sprt", bots[0], bots[2], *how)


def _grade(place: Place) -> None:
    """Bots in a ladder of two rungs, of which one is evil, too: its own bot does not
    start, so no mark is given.
    """
    bots = place.bots()
    place.say("new", "ladder", str(place.folder / "course"))
    toml = place.folder / "course" / "ladder.toml"
    head, first, *_ = toml.read_text().replace("seeds = 500", "seeds = 1").split("[[rung]]")
    toml.write_text(f"{head}[[rung]]{first}")
    place.say("grade", "course", "--seal")
    said = [
        place.live("grade", "course", "--bot", str(bot), "--results", f"{n}.json")
        for n, bot in enumerate(bots)
    ]
    assert any("owned" in text for text in said), "no bot said a word: the test tests nothing"
    (place.folder / "course" / EVIL.replace("/", "")).touch()
    assert (
        "owned"
        in place.say("grade", "course", "--seal")[1]
        + place.say("grade", "course", "--bot", str(bots[0]))[1]
    )


def _compare(place: Place) -> None:
    bots = list(map(str, place.bots()))
    how = ["--isolation", "trusted", "--matches", "2", "--out", f"o{EVIL}"]
    assert "owned" in place.live("compare", bots[0], bots[2], *how)
    place.live("compare", bots[0], bots[2], *how, "--json")


def _check(place: Place) -> None:
    for bot in place.bots()[:2]:
        place.live("check", str(bot), "--quick", "--isolation", "trusted")
    place.live("check", str(place.folder / "hello"), "--quick", "--isolation", "trusted", "--json")


def _watch(place: Place) -> None:
    path = place.folder / f"events{EVIL}"
    fault = {"match": 0, "bot": 0, "seat": 0, "gather": 1, "before": False}
    lines = (
        begin(
            bots=[EVIL] * 6,
            stage=EVIL,
            game=EVIL,
            format=EVIL,
            commitment=EVIL,
            at=EVIL,
            event=EVIL,
        ),
        stream.FaultRecorded(t=1.0, verdict=EVIL, detail=EVIL, **fault),
        stream.VoidRecorded(t=1.0, match=1, attempt=1, bots=[0, 1, 2], why=EVIL, before=False),
        stream.Llr(t=1.0, llr=0.0, low=-1.0, high=1.0, seeds=1, decision=EVIL),
        stream.Note(t=1.0, text=EVIL, warning=True),
        stream.RunEnded(t=2.0, how="complete", fixed=1, seconds=2.0, digest=EVIL),
    )
    path.write_bytes(b"".join(map(encoded, lines)))
    assert place.say("watch", str(path))[1].count("owned") >= 4
    path.write_text(EVIL)
    place.say("watch", str(path))


def _decode(place: Place) -> None:
    path = place.folder / f"frames{EVIL}"
    for message in (
        {"type": EVIL, EVIL: EVIL},
        {"type": "act", EVIL: 0.5},
        {"type": "hello", "proto": 1, "name": EVIL},
    ):
        data = msgpack.packb(message)
        path.write_bytes(len(data).to_bytes(4, "big") + data + EVIL.encode())
        assert "owned" in place.say("decode", str(path))[1]
        place.say("decode", str(path), "--json")


def _page(place: Place) -> None:
    """From archives that have no runtime within: of another file, and of none."""
    path = place.folder / f"runtime{EVIL}"
    path.write_text(EVIL)
    with tarfile.open(place.folder / "other.tar", "w") as archive:
        archive.add(path, EVIL)
    assert "owned" in place.say("page", "--runtime", str(path), "--out", "page.html")[1]
    place.say("page", "--runtime", "other.tar", "--check", str(path))
    assert "owned" in place.say("page", "--check", str(path))[1]


def _new(place: Place) -> None:
    above = place.folder / f"above{EVIL}"
    assert "owned" in place.say("new", "python", str(above / "bot"))[1]
    place.say("new", "python", str(above / EVIL))


def _init(place: Place) -> None:
    assert "owned" in place.say("init", str(place.folder / f"settings{EVIL}.toml"))[1]


def _league(place: Place) -> None:
    """A league whose links, settings and names of authors somebody has written to, and
    its bots.
    """
    with MadeLeague(place.folder / "sound") as league:
        league.enter("crow v1", 1)
        league.batch()
    new = place.folder / "new"
    place.say("league", "new", str(new))
    with closing(sqlite3.connect(place.folder / "sound" / "arena.db")) as connection:
        texts = dict(connection.execute("SELECT number, text FROM links"))
    said = []
    for number, text in texts.items():
        for at, rotten in enumerate(rotted(json.loads(text))):
            store = Path(
                shutil.copytree(place.folder / "sound", place.folder / f"link-{number}-{at}")
            )
            shutil.copy(new / "league.toml", store)
            with closing(sqlite3.connect(store / "arena.db")) as connection:
                quoted = json.dumps(rotten).replace("'", "''")
                forge(connection, f"UPDATE links SET text = '{quoted}' WHERE number = {number}")
            for words in (
                ("verify",),
                ("standings",),
                ("show",),
                ("league", "status"),
                ("league", "season", EVIL),
            ):
                *before, last = words if words[-1] == EVIL else (*words, "")
                said.append(place.say(*before, str(store), *([last] if last else []))[1])
            place.say("merge", str(place.folder / "sound"), "--out", str(store))
            place.say("report", str(store), "--out", str(place.folder / "page.html"))
    assert any("owned" in text for text in said), (
        "nothing of it was printed: the test tests nothing"
    )
    assert "owned" in place.say("league", "author", "add", str(new), EVIL)[1]
    for bot in place.bots():
        assert (
            "owned"
            in place.say("league", "enter", str(new), str(bot), "--author", EVIL, "--name", EVIL)[1]
        )
    settings = (new / "league.toml").read_text()
    for key in ("seats", "game", "turn", "bots", "retry_minutes", "draw", EVIL):
        (new / "league.toml").write_text(f"{json.dumps(key)} = {toml(EVIL)}\n")
        for verb in (("status",), ("play", "--batches", "1")):
            place.say("league", verb[0], str(new), *verb[1:])
    (new / "league.toml").write_text(settings)
    place.say("league", "plan", str(new), str(place.folder / f"{EVIL.replace('/', '')}.json"))
    place.say("league", "retire", str(new), EVIL, "--why", EVIL)


def _submit(place: Place) -> None:
    """To a league that answers with anything, and with words that are wrong."""
    bot = str(place.bots()[0])
    token = place.folder / f"token{EVIL}"
    token.write_text(TOKEN)
    token.chmod(0o600)
    said = []
    with fake_league() as league:
        words = ["submit", bot, "--to", league.url, "--token-file", str(token)]
        for answer in [*rotted(SENT), {"error": EVIL}, {"problems": [EVIL]}, [EVIL], EVIL]:
            for status in (202, 400, 401, 409, 500):
                league.answers((status, answer))
                said.append(place.say(*words, "--name", EVIL)[1])
            league.answers((200, answer))
            said.append(place.say("submit", "--status", *words[2:])[1])
    assert any("owned" in text for text in said), (
        "nothing of it was printed: the test tests nothing"
    )


def nothing_foreign(*words: str) -> Callable[[Place], None]:
    """A command that prints what is ours alone."""

    def check(place: Place) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PATH", str(place.folder))  # looking for each language takes long
            place.say(*words)
            place.say(*words, "--json")
        levels.cache_clear()  # of the levels that a machine without tools gives

    return check


TOLD: dict[str, Callable[[Place], None]] = {
    "run": _run,
    "init": _init,
    "match": _match,
    "play": _play,
    "relay": _relay,
    "sprt": _sprt,
    "grade": _grade,
    "compare": _compare,
    "watch": _watch,
    "standings": stored("standings", "--section", "all", "--wide"),
    "plan": stored("plan", "--error", "5"),
    "verify": _verify,
    "bundle": _bundle,
    "merge": _merge,
    "close": _close,
    "export": _export,
    "report": _report,
    "show": _show,
    "replay": _replay,
    "decode": _decode,
    "new": _new,
    "page": _page,
    "check": _check,
    "league": _league,
    "submit": _submit,
    "games": nothing_foreign("games"),
    "bots": nothing_foreign("bots"),
    "doctor": nothing_foreign("doctor"),
}
