"""Language models by a file: each is a bot of its own with its own permissions, and a
table says how each played.
"""

import json
import re
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import fake_llm
import pytest
from arena import arena
from models_file import HOW, KEY, ROW, VALUE, bots_of, row, written
from once import made_once
from stores import SHORT
from terminal import Terminal
from wording import sentence

import khiva_arena
from khiva_arena.entrants.bots import Bot, load
from khiva_arena.records.store.db import Store

KINDS = ("last", "tenth", "always-wrong", "overloaded", "garbles")
"""Always the model's choice; every tenth decision by lot; all by lot; every third by
lot, as its provider has no time; every tenth after another try.
"""
ASKED = (
    f"small: sends to api.example.com; it gets the network and {KEY}; model small",
    "agree to this, and that bots send to api.example.com, for as long as",
)


@made_once
def played(folder: Path) -> None:
    """A store "out" of models of each kind, and what their endpoint logged in
    "log.json".
    """
    with fake_llm.serving() as server:
        written(
            folder,
            *(
                row(kind, server.url, key=KEY, price_in=3, price_out=15.5, currency="EUR")
                for kind in KINDS
            ),
        )
        words = (
            "run",
            "--yes",
            "--models",
            "models.toml",
            "--bot",
            "shipped:python/random",
            "--seeds",
            "1",
            *HOW,
            *SHORT,
            "--out",
            "out",
        )
        arena(*words, "-j", "4", cwd=folder, env={KEY: VALUE})
        log = {kind: {"decisions": server.decisions[kind]} for kind in KINDS}
        for (kind, name), tokens in server.told.items():
            log[kind][name] = tokens
        keys = {body["key"] for body in server.asked}
    assert keys == {f"Bearer {VALUE}"}
    (folder / "log.json").write_text(json.dumps(log))


@pytest.mark.slow
def test_the_sums_are_those_of_the_endpoint_s_own_log_to_the_unit(played: Path) -> None:
    log = json.loads((played / "log.json").read_text())
    said = json.loads(arena("standings", "out", "--json", cwd=played).stdout)
    rows = {row["name"]: row["spent"] for row in said["standings"][0]["rows"]}
    assert rows.pop("random") is None
    for kind, spent in rows.items():
        totals = spent["totals"]
        into = totals.get("tokens_in", 0) + totals.get("tokens_in_told", 0)
        assert (into, totals["tokens_out"]) == (log[kind]["tokens_in"], log[kind]["tokens_out"])
        assert abs(totals["cost"] - (into * 3 + totals["tokens_out"] * 15.5)) <= spent["matches"]
        asked = {one: totals[one] for one in ("model", "retry", "lot", "failed")}
        decisions = log[kind]["decisions"]
        assert sum(asked.values()) == spent["decisions"] == decisions
        tenth, third = decisions // 10, decisions // 3
        others = {
            "tenth": ("lot", tenth),
            "always-wrong": ("lot", decisions),
            "overloaded": ("failed", third),
        }
        name, number = (others | {"garbles": ("retry", tenth)}).get(kind, ("lot", 0))
        assert asked == {"retry": 0, "lot": 0, "failed": 0, "model": decisions - number} | {
            name: number
        }
        assert (spent["currency"], spent["dropped"], spent["at_least"]) == ("EUR", 0, False)
    assert not [
        row for row in said["standings"][0]["rows"] if row["voids"] or any(row["faults"].values())
    ], "a lot is no fault"
    listed = arena("standings", "out", "--most-lots", "20", cwd=played).stdout.partition("\n-- ")[2]
    assert [kind for kind in KINDS if f" {kind} " in listed.partition("\n\n")[0]] == [
        "always-wrong",
        "overloaded",
    ]


@pytest.mark.slow
def test_it_verifies_replays_and_reports_without_key_network_and_models(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No socket reaches an address, the variable is not set, and models.toml is
    gone.
    """

    def closed(*_: object) -> None:
        pytest.fail("a command asks the network")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, closed)
    monkeypatch.setattr(socket, "getaddrinfo", closed)
    with pytest.raises(pytest.fail.Exception), socket.socket() as one:
        one.connect(("127.0.0.1", 9))
    monkeypatch.delenv(KEY, raising=False)
    shutil.copytree(played / "out", tmp_path / "out")
    assert "30 of 30 matches are sound" in arena("verify", "out", cwd=tmp_path).stdout
    arena("bundle", "out", "all.bundle", cwd=tmp_path)
    arena("verify", "all.bundle", cwd=tmp_path)
    arena("report", "out", "--out", "page.html", cwd=tmp_path)
    arena("show", "out", "1/0", cwd=tmp_path)
    asked = arena(
        "replay",
        "out",
        "1/0",
        "--bot",
        "shipped:python/random",
        "--seat",
        "0",
        "--isolation",
        "trusted",
        cwd=tmp_path,
        code=1,
    )
    assert "step " in asked.stdout, "another bot is asked what the model was asked"
    notes = arena("show", "out", "1/0", "--notes", cwd=tmp_path).stdout
    assert "prompt legal-1, sha256 " in notes
    assert "The rules map of this match: $rules" in notes, "the prompt is shown whole"
    everything = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(everything) >= 3
    assert not [path for path in everything if VALUE.encode() in path.read_bytes()]


def test_only_the_bots_of_the_file_get_network_and_key(tmp_path: Path) -> None:
    written(tmp_path, row("random", key=KEY), row("large"))
    words = (
        "--models",
        "models.toml",
        "--bot",
        "shipped:python/random",
        "--bot",
        "shipped:python/greedy",
    )
    bots = bots_of(tmp_path, *words)
    assert {name: (bot.network, bot.env) for name, bot in bots.items()} == {
        "random": (True, (KEY,)),
        "large": (True, ()),
        "random-2": (False, ()),
        "greedy": (False, ()),
    }
    assert bots["random"].identity == load(str(tmp_path / "models.toml:random")).identity
    assert bots["random-2"].identity == load("shipped:python/random").identity
    bots = bots_of(tmp_path, *words)  # the same event goes on
    (tmp_path / "more.toml").write_text('bots = ["shipped:python/greedy"]\nnetwork = ["greedy"]\n')
    said = arena(
        "run", "more.toml", "--models", "models.toml", cwd=tmp_path, code=2, env={KEY: VALUE}
    ).stderr
    assert "--models sets --network, which wins over more.toml" in said


def test_a_file_of_settings_may_name_other_bots(tmp_path: Path) -> None:
    written(tmp_path, row("small"))
    (tmp_path / "more.toml").write_text('bots = ["shipped:python/greedy"]\n')
    assert list(bots_of(tmp_path, "more.toml", "--models", "models.toml")) == ["small", "greedy"]


def test_the_identity_covers_all_but_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def bot(changed: str = "", prompt: str = "$page\n") -> Bot:
        (tmp_path / "mine.md").write_text(prompt)
        written(tmp_path, ROW.replace('"m"', '"/models/m.gguf"') + 'prompt = "mine.md"\n' + changed)
        return load(f"{tmp_path}/models.toml:small")

    same = bot()
    assert (bot().identity, same.name, same.version, same.reports) == (
        same.identity,
        "small",
        "3 mine",
        True,
    )
    assert (
        bot(f'key = "{KEY}"').identity
        == bot(f'key = "{KEY}"\nretries = 1\ntemperature = 0\nlegal = true\n').identity
    )
    with_key = bot(f'key = "{KEY}"').identity
    monkeypatch.setenv(KEY, VALUE)
    assert bot(f'key = "{KEY}"').identity == with_key
    others = [
        "retries = 2",
        "temperature = 'none'",
        "legal = false",
        "price_in = 1\nprice_out = 2",
        "currency = 'EUR'",
        "notes = 'short'",
    ]
    identities = {
        same.identity,
        bot("", "$page").identity,
        with_key,
        *(bot(changed).identity for changed in others),
    }
    assert len(identities) == 3 + len(others)
    written(tmp_path, ROW)
    assert load(f"{tmp_path}/models.toml:small").version == "3 legal-1"


@pytest.fixture
def fake() -> Iterator[fake_llm.Fake]:
    with fake_llm.serving() as server:
        yield server


@pytest.mark.slow
def test_a_plan_gives_a_model_nothing_before_its_user_agrees(
    fake: fake_llm.Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hash of the row is in the plan, so that an agreement to the plan is one to
    the row.
    """
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "maker"))
    monkeypatch.setenv(KEY, VALUE)
    written(tmp_path, row("last", fake.url, key=KEY))
    named = (
        "--bot",
        "models.toml:last",
        "--bot",
        "shipped:python/random",
        "--network",
        "last",
        "--env",
        f"last={KEY}",
    )
    arena("run", *named, *HOW, *SHORT, "--seeds", "1", "--plan", "cup.plan", cwd=tmp_path)
    words = ("run", "--from-plan", "cup.plan", "--trust-bots", "--out", "out")
    host = fake.url.split("/")[2]
    line, question = (
        said.replace("api.example.com", host).replace("small", "last") for said in ASKED
    )
    assert line in arena(*words[:-1], "made", cwd=tmp_path).stderr, "whoever made it has agreed"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "another"))
    said = arena(*words, cwd=tmp_path, code=2).stderr
    assert line in said
    assert sentence("competition", "opens-more-machine-file", file="cup.plan") in said
    assert not (tmp_path / "out").exists()
    terminal = Terminal(words, tmp_path, columns=300)
    assert terminal.until(lambda text: "[y/N]" in text)
    terminal.type(b"y\n")
    assert terminal.end() == 0
    assert line in terminal.shown.text
    assert question in terminal.shown.text
    arena(*words, cwd=tmp_path)
    for changed in (
        row("last", "https://elsewhere.example.com/v1", key=KEY),
        row("last", fake.url, key=KEY, retries=2),
    ):
        written(tmp_path, changed)
        said = arena(*words, cwd=tmp_path, code=2).stderr
        assert sentence("shards", "other-bot", name="last", word="models.toml:last") in said
        assert "sends to" not in said, "such a row is none to agree to"


@pytest.mark.slow
def test_a_model_that_is_not_shown_the_choices_finds_one_by_the_rules(
    fake: fake_llm.Fake, tmp_path: Path
) -> None:
    (tmp_path / "mine.md").write_text("Win this game of $game.\n")
    written(
        tmp_path,
        row("by-words", fake.url, legal=False),
        row("own", fake.url, model="last", prompt="mine.md"),
    )
    bots = [f"{tmp_path}/models.toml:{name}" for name in ("by-words", "own")]
    match = khiva_arena.match(
        *bots, isolation="trusted", seed="a", turn="30s", network=["by-words", "own"]
    )
    assert match.verdicts == ("ok", "ok")
    by_model = {
        model: [body for body in fake.asked if body["model"] == model]
        for model in ("by-words", "last")
    }
    assert "Choices:" not in json.dumps(by_model["by-words"])
    assert {body["messages"][0]["content"] for body in by_model["last"]} == {
        "Win this game of khiva."
    }
    by_words, own = match.notes or ()
    assert re.findall(r"^llm: play_pass: \d+ of 0-\d+ by (\w+)", by_words, re.MULTILINE)[:2] == [
        "the",
        "the",
    ]
    assert "That was no choice: " not in json.dumps(
        [body for body in by_model["by-words"] if "play_pass" in str(body)]
    )
    assert " 0 by lot; " in own


def test_a_file_gives_nothing_before_the_user_agrees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv(KEY, VALUE)
    words = (
        "--models",
        "models.toml",
        "--bot",
        "shipped:python/greedy",
        *HOW,
        "--seeds",
        "1",
        "--commit",
        "--out",
        "out",
    )

    def typed(answer: str, row_meanwhile: str = "") -> tuple[int, bool, str]:
        terminal = Terminal(["run", *words], tmp_path, columns=200)
        question = terminal.until(lambda text: "[y/N]" in text)
        if question:
            if row_meanwhile:
                written(tmp_path, row_meanwhile)
            terminal.type(f"{answer}\n".encode())
        return terminal.end(), question, terminal.shown.text

    written(tmp_path, row("small", key=KEY))
    refused = "models.toml gives bots the network and keys: "
    assert refused in arena("run", *words, cwd=tmp_path, code=2).stderr
    code, question, shown = typed("n")
    assert (code, question, (tmp_path / "out").exists()) == (2, True, False)
    assert all(line in shown for line in ASKED)
    elsewhere = row("small", "https://elsewhere.example.com/v1", key=KEY)
    assert typed("y", elsewhere)[:2] == (0, True)
    with Store.read(tmp_path / "out") as store:
        (event,) = store.events()
    written(tmp_path, row("small", key=KEY))
    agreed_to = load(f"{tmp_path}/models.toml:small").identity
    assert agreed_to in {bot.identity for bot in event.definition.bots}, (
        "the row that was shown plays"
    )
    arena("run", *words, cwd=tmp_path)
    (tmp_path / "mine.md").write_text("Play.")
    for changed in (elsewhere, row("small", key=KEY, prompt="mine.md")):
        written(tmp_path, changed)
        assert refused in arena("run", *words, cwd=tmp_path, code=2).stderr


def test_a_file_of_settings_gives_a_model_nothing_before_the_user_agrees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The address stands in another file, which may change without this one."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv(KEY, VALUE)
    bots = (
        'bots = ["models.toml:small", "shipped:python/greedy"]\nnetwork = ["small"]\nenv = '
        f'["small={KEY}"]\n'
    )
    (tmp_path / "cup.toml").write_text(f'{bots}seats = 2\nturn = "30s"\nseeds = 1\n')
    words = (
        "run",
        "cup.toml",
        "--isolation",
        "trusted",
        "--trust-bots",
        "--commit",
        "--out",
        "out",
    )
    written(tmp_path, row("small", key=KEY))
    terminal = Terminal(words, tmp_path, columns=300)
    assert terminal.until(lambda text: "[y/N]" in text)
    terminal.type(b"y\n")
    assert terminal.end() == 0
    assert all(line in terminal.shown.text for line in ASKED)
    arena(*words, cwd=tmp_path)
    for changed in (
        row("small", "https://elsewhere.example.com/v1", key=KEY),
        row("small", key=KEY, retries=2),
    ):
        written(tmp_path, changed)
        said = arena(*words, cwd=tmp_path, code=2).stderr
        assert sentence("competition", "opens-more-machine-file", file="cup.toml") in said
