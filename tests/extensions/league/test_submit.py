"""``khiva-arena submit`` against a league that is honest, broken, slow or hostile: what
it sends, prints, keeps and believes.
"""

import io
import json
import os
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from arena import arena
from fake_league import SENT, TOKEN, FakeLeague, certificate, fake_league
from uploads import TOML
from wording import sentence

from khiva_arena.entrants.bots import load
from khiva_arena.entrants.packing import pack
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.league.commands import submit as command
from khiva_arena.extensions.league.seen import receipts_in
from khiva_arena.extensions.league.submissions import sending

EVIL = "\x1b]0;owned\x07\x1b[2J\u202e\r\x7f"
RAW = ("\x1b", "\x07", "\u202e", "\r", "\x7f")


@pytest.fixture
def league() -> Iterator[FakeLeague]:
    """One without TLS, on this machine."""
    with fake_league() as served:
        yield served


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(command, "POLL_SECONDS", (0.01, 0.01))
    (tmp_path / "my-bot").mkdir()
    (tmp_path / "my-bot" / "bot.toml").write_text(TOML.replace('"a"', '"my bot"'))
    (tmp_path / "my-bot" / "main.py").write_text("print()")


def submit(
    where: str | FakeLeague, *words: str, home: Path, code: int = 0, token: str = TOKEN
) -> tuple[str, str]:
    """What it prints on stdout, and on stderr, neither of which has the token or a
    control character.
    """
    url = where if isinstance(where, str) else where.url
    env = {"KHIVA_ARENA_TOKEN": token, "XDG_STATE_HOME": str(home / "state")}
    done = arena("submit", *words, "--to", url, cwd=home, env=env, code=code, seconds=60)
    assert not token or token not in done.stdout + done.stderr
    assert not [sign for sign in RAW if sign in done.stdout + done.stderr]
    return done.stdout, done.stderr


def receipts(home: Path) -> list[Path]:
    """The files with what leagues said."""
    return list((home / "state" / "khiva-arena" / "receipts").glob("*"))


# --- what is sent, and kept ---


def test_a_bot_is_sent_whole_with_the_token_in_a_header(league: FakeLeague, tmp_path: Path) -> None:
    league.answers((202, SENT))
    out, err = submit(league, "my-bot", "--name", "other one", home=tmp_path)
    (asked,) = league.asked
    assert (asked.method, asked.path) == ("POST", "/api/submit?name=other%20one")
    assert asked.headers["Authorization"] == f"Bearer {TOKEN}"
    assert asked.body == pack(load(str(tmp_path / "my-bot")))
    assert out == "entry 7 of spring: other one is waiting\n"
    assert "--status" in err


def test_what_the_league_said_is_kept_where_verify_finds_it(
    league: FakeLeague, tmp_path: Path
) -> None:
    league.answers((202, SENT), (202, {**SENT, "link": 13, "digest": "e" * 64, "commitment": None}))
    errors = [submit(league, "my-bot", home=tmp_path)[1] for _ in range(2)]
    (file,) = receipts(tmp_path)
    assert file.stat().st_mode & 0o077 == 0
    assert str(file) in errors[0]
    assert [(receipt.number, receipt.digest) for receipt in receipts_in(file)] == [
        (12, "d" * 64),
        (13, "e" * 64),
    ]
    first, second = file.read_text().splitlines()
    assert first.startswith(f"link 12 {'d' * 64} commitment {'c' * 64} at ")
    assert first.endswith(f" from {league.url}")
    assert " commitment - at " in second


def test_what_the_league_says_with_a_status_is_kept_too(league: FakeLeague, tmp_path: Path) -> None:
    league.answers((200, {"entries": [], "league": "spring", "link": 3, "digest": "a" * 64}))
    submit(league, "--status", home=tmp_path)
    (file,) = receipts(tmp_path)
    assert [receipt.number for receipt in receipts_in(file)] == [3]


def test_two_leagues_have_a_file_each(tmp_path: Path) -> None:
    names = {
        sending.site_of(url, None).file_name
        for url in ("https://a", "https://a:1", "https://a/x", "https://a/y", "https://b/")
    }
    assert len(names) == 5
    assert not [name for name in names if "/" in name]


def test_a_league_that_names_another_link_than_before_is_caught(
    league: FakeLeague, tmp_path: Path
) -> None:
    league.answers((202, SENT), (202, {**SENT, "digest": "e" * 64}))
    said = "the league told you another link 12 before: an end of its chain was thrown away"
    assert [said in submit(league, "my-bot", home=tmp_path)[1] for _ in range(2)] == [False, True]


def test_a_league_without_a_link_leaves_nothing(league: FakeLeague, tmp_path: Path) -> None:
    league.answers(
        (202, {"entry": 1, "league": "spring", "link": None, "digest": None, "commitment": None})
    )
    submit(league, "my-bot", home=tmp_path)
    assert receipts(tmp_path) == []


def test_what_cannot_be_kept_is_printed(league: FakeLeague, tmp_path: Path) -> None:
    (tmp_path / "state").write_text("")
    league.answers((202, SENT))
    assert f"link 12 {'d' * 64}" in submit(league, "my-bot", home=tmp_path)[1]


def test_it_is_waited_for(league: FakeLeague, tmp_path: Path) -> None:
    entry = {"entry": 7, "bot": "my bot", "state": "waiting", "report": ""}
    busy = (503, {"error": "later"})
    for state, code in (("accepted", 0), ("refused", 1)):
        settled = {**entry, "state": state, "report": "its check"}
        waits, done = {"entries": [entry]}, {"entries": [{**entry, "entry": 6}, settled]}
        league.answers((202, SENT), (200, waits), busy, (200, done))
        out, _ = submit(league, "my-bot", "--wait", home=tmp_path, code=code)
        assert out == f"entry 7 of spring: my bot is {state}\n    its check\n"


def test_a_league_that_never_answers_again_is_not_waited_for(
    league: FakeLeague, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "UNANSWERED_MOST", 3)
    league.answers((202, SENT), *[(500, b"")] * 3)
    assert "500" in submit(league, "my-bot", "--wait", home=tmp_path, code=2)[1]
    assert len(league.asked) == 4


def test_a_bot_that_was_sent_before_is_asked_for_at_once(
    league: FakeLeague, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "POLL_SECONDS", (10**6, 10**6))
    entered = {"entry": 7, "bot": "my bot", "state": "entered", "report": "its check"}
    league.answers(
        (202, {**SENT, "state": "entered"}),
        *[(202, {**SENT, "state": "entered"}), (200, {"entries": [entered]})],
    )
    assert submit(league, "my-bot", home=tmp_path)[0] == "entry 7 of spring: my bot is entered\n"
    out, _ = submit(league, "my-bot", "--wait", home=tmp_path)
    assert out == "entry 7 of spring: my bot is entered\n    its check\n"


def test_who_interrupts_the_wait_hears_that_the_bot_is_sent(
    league: FakeLeague, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "_settled", interrupted)
    monkeypatch.setenv("KHIVA_ARENA_TOKEN", TOKEN)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    league.answers((202, SENT))
    flags = {
        "token_file": None,
        "ca": None,
        "name": None,
        "allow_include": None,
        "agree": False,
        "wait": True,
        "as_json": False,
    }
    with pytest.raises(KeyboardInterrupt) as caught:
        command.submit(str(tmp_path / "my-bot"), league.url, False, **flags)
    assert caught.value.__notes__ == [
        sentence(
            "competition", "interrupted-same-command-resumes", how_far="entry 7 of spring is sent"
        )
    ]


def test_the_line_that_comes_next_works_as_it_is_printed(tmp_path: Path) -> None:
    tls = certificate(tmp_path / "my tls")
    (tmp_path / "ann's token").touch(0o600)
    (tmp_path / "ann's token").write_text(TOKEN)
    how = ("--token-file", "ann's token", "--ca", str(tls / "cert.pem"))
    with fake_league(tls) as league:
        league.answers((202, SENT), (200, {"entries": []}))
        said = submit(league, "my-bot", *how, home=tmp_path, token="")[1]
        (line,) = [
            line.partition("next: khiva-arena ")[2]
            for line in said.splitlines()
            if "next: " in line
        ]
        env = {"KHIVA_ARENA_TOKEN": "", "XDG_STATE_HOME": str(tmp_path / "state")}
        arena(*shlex.split(line), cwd=tmp_path, env=env)
        assert [(asked.method, asked.headers["Authorization"]) for asked in league.asked][1:] == [
            ("GET", f"Bearer {TOKEN}")
        ]


def test_an_entry_that_is_gone_is_not_waited_for(league: FakeLeague, tmp_path: Path) -> None:
    league.answers((202, SENT), (200, {"entries": []}))
    assert (
        f"{league.url}: knows no entry 7 of yours any more; ask the organiser"
        in submit(league, "my-bot", "--wait", home=tmp_path, code=2)[1]
    )


def test_status_prints_what_became_of_all(league: FakeLeague, tmp_path: Path) -> None:
    entries = [
        {"entry": 3, "bot": "one", "state": "refused", "report": "its check failed:\n  3  FAILED"},
        {"entry": 4, "bot": "one", "state": "entered", "report": ""},
    ]
    league.answers(*[(200, {"entries": entries})] * 2)
    out, _ = submit(league, "--status", home=tmp_path)
    assert (
        out == "entry 3: one is refused\n    its check failed:\n      3  FAILED\nentry 4: one is "
        "entered\n"
    )
    assert json.loads(submit(league, "--status", "--json", home=tmp_path)[0]) == {
        "entries": entries
    }


# --- the token ---


def test_a_token_comes_from_a_file_that_nobody_else_can_read(
    league: FakeLeague, tmp_path: Path
) -> None:
    file = tmp_path / "ann.token"
    file.write_text(f"{TOKEN}\n")
    words = ("--status", "--token-file", "ann.token")
    for mode in (0o644, 0o640, 0o602):
        file.chmod(mode)
        assert (
            f"others may read or write it (mode {mode:o}); chmod 600 it"
            in submit(league, *words, home=tmp_path, code=2, token="")[1]
        )
    file.chmod(0o600)
    league.answers((200, {"entries": []}))
    submit(league, *words, home=tmp_path, token="")
    assert league.asked[0].headers["Authorization"] == f"Bearer {TOKEN}"


@pytest.mark.parametrize(
    "token", ["", "short", "x" * 200, f"{TOKEN}\r\nX-Evil: 1", f"{TOKEN} x", "\u00e9" * 43]
)
def test_what_is_no_token_is_not_sent(token: str, league: FakeLeague, tmp_path: Path) -> None:
    submit(league, "--status", home=tmp_path, code=2, token=token)
    assert league.asked == []


@pytest.mark.parametrize("kind", ["pipe", "nothing", "folder", "large"])
def test_a_token_file_that_is_none(kind: str, league: FakeLeague, tmp_path: Path) -> None:
    file = tmp_path / "token"
    if kind == "pipe":
        os.mkfifo(file, 0o600)
    elif kind == "folder":
        file.mkdir(0o700)
    elif kind == "large":
        file.touch(0o600)
        os.truncate(file, 10**10)
    assert (
        submit(league, "--status", "--token-file", "token", home=tmp_path, code=2, token="")[
            1
        ].count("\n")
        == 1
    )
    assert league.asked == []


# --- addresses ---


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org",
        "http://127.0.0.1.example.org",
        "ftp://127.0.0.1",
        "127.0.0.1:8443",
        "https://",
        "https://ann:secret@example.org",
        "https://example.org/?a=b",
        "https://example.org/#x",
        "https://example.org:99999",
        "https://exa mple.org",
        "https://ex\u0430mple.org",
        "https://[::1",
    ],
)
def test_an_address_that_no_token_goes_to(url: str, tmp_path: Path) -> None:
    assert submit(url, "my-bot", home=tmp_path, code=2)[1].startswith("khiva-arena: error: --to ")


def test_nothing_is_trusted_but_the_system_and_ca(tmp_path: Path) -> None:
    tls = certificate(tmp_path / "tls")
    with fake_league(tls) as league:
        league.answers((200, {"entries": []}))
        assert (
            sentence("submit", "not-trusted")
            in submit(league, "--status", home=tmp_path, code=2)[1]
        )
        assert league.asked == []
        submit(league, "--status", "--ca", str(tls / "cert.pem"), home=tmp_path)
        other = league.url.replace("127.0.0.1", "localhost")
        assert (
            sentence("submit", "not-trusted")
            in submit(other, "--status", "--ca", str(tls / "cert.pem"), home=tmp_path, code=2)[1]
        )


def test_a_certificate_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("no certificate")
    for file in ("ca.pem", "nothing.pem"):
        said = submit("https://127.0.0.1:1", "--status", "--ca", file, home=tmp_path, code=2)[1]
        assert said.startswith(f"khiva-arena: error: --ca {file}: ")


def test_a_redirect_is_not_followed(league: FakeLeague, tmp_path: Path) -> None:
    with fake_league() as other:
        for status in (301, 302, 303, 307, 308):
            league.answers((status, f"{other.url}/api/submit".encode()))
            assert other.url in submit(league, "my-bot", home=tmp_path, code=2)[1]
        assert other.asked == []


def test_nobody_there(tmp_path: Path) -> None:
    with fake_league() as gone:
        pass
    assert gone.url in submit(gone, "my-bot", home=tmp_path, code=2)[1]


# --- hostile answers ---


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 429, 500, 503])
def test_a_refusal_is_told_in_a_harmless_line(
    status: int, league: FakeLeague, tmp_path: Path
) -> None:
    league.answers((status, {"error": f"no {EVIL}\nkhiva-arena: all is well {'x' * 10**5}"}))
    (line,) = submit(league, "my-bot", home=tmp_path, code=2)[1].splitlines()
    assert line.startswith(f"khiva-arena: error: {league.url}: no ")
    assert len(line) < 1_000


@pytest.mark.parametrize(
    "answer",
    [
        (202, b""),
        (202, b"<html>"),
        (202, b"[" * 10**5),
        (202, {"entry": "7", "league": "spring"}),
        (202, {"entry": -1, "league": "spring"}),
        (202, {**SENT, "digest": "D" * 64}),
        (202, {**SENT, "digest": f"{'d' * 64}\nlink 1 {'e' * 64}"}),
        (202, {**SENT, "link": 10**12}),
        (202, {**SENT, "link": "12"}),
        (202, b" " * 9 * 2**20),
        (200, {"entries": []}),
        (404, b"\xff"),
        (500, b"[" * 10**5),
        (302, b"\xff"),
        b"",
        b"garbage\r\n\r\n",
        b"HTTP/1.1 202 OK\r\nContent-Length: 99\r\n\r\n{}",
        b"HTTP/1.1 202 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 202 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n",
        b"HTTP/1.1 202 OK\r\n" + b"X: y\r\n" * 1_000,
        b"HTTP/1.1 202 OK\r\nX: " + b"y" * 10**5,
    ],
    ids=range(21),
)
def test_an_answer_that_is_none_is_told_in_a_line_and_not_kept(
    answer: tuple[int, object] | bytes, league: FakeLeague, tmp_path: Path
) -> None:
    league.answers(answer)
    (line,) = submit(league, "my-bot", home=tmp_path, code=2)[1].splitlines()
    assert line.startswith(f"khiva-arena: error: {league.url}: ")
    assert receipts(tmp_path) == []


def test_hostile_words_are_printed_harmless(league: FakeLeague, tmp_path: Path) -> None:
    forged = f"{EVIL}\nentry 9: mine is accepted"
    entries = {"entries": [{"entry": 7, "bot": forged, "state": forged, "report": forged}]}
    league.answers((202, {**SENT, "league": forged}), (200, entries), (200, entries))
    for words in (("my-bot", "--wait"), ("--status",)):
        out, err = submit(league, *words, home=tmp_path, code=1 if "--wait" in words else 0)
        assert not [line for line in (out + err).splitlines() if line.startswith("entry 9")]


def test_a_league_that_drips_is_cut_off(
    league: FakeLeague, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "WHOLE_SECONDS", 1.0)
    league.answers(b"HTTP/1.1 202 OK\r\n" + b"X: y\r\n" * 5, drips=0.2)
    assert "it took longer than 1 s" in submit(league, "my-bot", home=tmp_path, code=2)[1]


# --- before anything is sent ---


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("my-bot", "--status"),
        ("--status", "--wait"),
        ("nothing-here",),
        ("my-bot", "--name", "<b>"),
        ("true",),
    ],
)
def test_what_cannot_be_taken_is_told_before_anything_is_sent(
    words: tuple[str, ...], league: FakeLeague, tmp_path: Path
) -> None:
    submit(league, *words, home=tmp_path, code=2)
    assert league.asked == []


# --- a league that publishes its bots ---


PUBLISHES = (200, {"publish_bots": True})


def test_without_a_terminal_nothing_is_sent_to_a_league_that_publishes_bots_before_agree(
    league: FakeLeague, tmp_path: Path
) -> None:
    league.answers((202, SENT), terms=PUBLISHES)
    _, err = submit(league, "my-bot", home=tmp_path, code=2)
    assert (
        f"{league.url}: this league publishes its bots: anybody may get the module of my "
        "bot from its "
        "bundles and run it again, and all of its files if it is in JavaScript or Python. Send it?"
    ) in err
    assert sentence("terminal", "nobody-can-asked-here", flag="--agree") in err
    assert league.asked == []
    submit(league, "my-bot", "--agree", home=tmp_path)
    (asked,) = league.asked
    assert asked.path == "/api/submit?name=my%20bot&agreed=1"


@pytest.mark.parametrize(("answer", "code"), [("y", 0), ("n", 2), ("", 2)])
def test_at_a_terminal_the_author_is_asked(
    league: FakeLeague, tmp_path: Path, answer: str, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    league.answers((202, SENT), terms=PUBLISHES)
    monkeypatch.setattr("khiva_arena.display.terminal.question.can_ask", lambda: True)
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{answer}\n"))
    monkeypatch.setenv("KHIVA_ARENA_TOKEN", TOKEN)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    flags = {
        "token_file": None,
        "ca": None,
        "name": None,
        "allow_include": None,
        "agree": False,
        "wait": False,
        "as_json": True,
    }
    if code:
        with pytest.raises(ConfigError, match="my bot is not sent"):
            command.submit(str(tmp_path / "my-bot"), league.url, False, **flags)
    else:
        assert command.submit(str(tmp_path / "my-bot"), league.url, False, **flags) == 0
    assert len(league.asked) == (code == 0)


def test_a_league_that_publishes_no_bot_asks_nothing(league: FakeLeague, tmp_path: Path) -> None:
    league.answers((202, SENT), (202, SENT))
    for more in ((), ("--agree",)):
        assert "terminal" not in submit(league, "my-bot", *more, home=tmp_path)[1]
    assert {asked.path for asked in league.asked} == {"/api/submit?name=my%20bot"}


def test_a_league_that_does_not_tell_its_terms_gets_no_bot(
    league: FakeLeague, tmp_path: Path
) -> None:
    for terms in (
        (404, {"error": "no page"}),
        (200, {}),
        (200, {"publish_bots": "no"}),
        (500, b""),
    ):
        league.answers((202, SENT), terms=terms)
        submit(league, "my-bot", "--agree", home=tmp_path, code=2)
    assert league.asked == []
