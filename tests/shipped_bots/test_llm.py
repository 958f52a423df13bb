"""The bot that a language model plays, against an endpoint that behaves in every way
known; bots in processes of their own.
"""

import json
import os
import re
import runpy
import shutil
import socket
import ssl
import subprocess
import sys
from pathlib import Path
from typing import Any

import fake_llm
import pytest
from arena import ROOT, arena
from fake_llm import ANSWERS, ASKED_TWICE, Fake
from tools import lacks
from wording import sentence

import khiva_arena
from khiva_arena.common import shipped
from khiva_arena.entrants.bots import load
from khiva_arena.entrants.staging import stage
from khiva_arena.games import registry
from khiva_arena.interface.commands.bots import ready_bots

pytestmark = pytest.mark.slow

WORD = "shipped:python/llm"
PAGE = (ROOT / "docs" / "language-models.md").read_text()
KEY = "sk-not-to-be-told"
BY_LOT = {
    "refusal": "a refusal: I can't help with 3 camels.",
    "filtered": "a refusal: stopped by a content filter",
    "always-wrong": "1000000 is not from 0 to 11",
    "empty": "it is empty",
    "late": "no answer in ",
    "hangs": "no answer in ",
    "chunked-forever": "no answer in ",
    "dripping-head": "no answer in ",
    "continue-forever": "no answer in ",
    "down": "status 503: down",
    "limited-for-long": "status 429: ",
    "limited-oddly": "status 429: ",
    "unauthorised": "status 401: wrong key: Bearer [key]",
    "elsewhere": "status 307: redirects are not followed; name the address itself",
    "not-utf8": "not an answer of the API: ",
    "html": "not an answer of the API: ",
    "other-json": "not an answer of the API: ",
    "deep": "not an answer of the API: ",
    "long-number": "not an answer of the API: ",
    "huge": "an answer of more than 1,048,576 bytes",
    "no-http": "BadStatusLine: ",
}
"""By model that gives no answer: what the notes say of it."""
NEVER_AGAIN = ("late", "hangs", "limited-for-long", "unauthorised", "elsewhere")
NO_PROXY = {name: value for name, value in os.environ.items() if not name.startswith("KHIVA_LLM_")}


def asked_of(fake: Fake, model: str) -> list[dict[str, Any]]:
    return [body for body in fake.asked if body["model"] == model]


def hello(**more: Any) -> dict[str, Any]:
    time = {"startup_ms": 10_000, "turn_ms": 1_500, "bank_ms": 0}
    head = {
        "type": "hello",
        "protos": [1],
        "caps": [],
        "game": "any",
        "rules": {"open": "é"},
        "rules_version": "1",
    }
    return {
        **head,
        "match": "m",
        "seat": 1,
        "seats": 3,
        "seed": 77,
        "time": time,
        "commit": "00",
        **more,
    }


def decide(req: int = 5, turn_ms: int = 1_500, **more: Any) -> dict[str, Any]:
    head = {
        "type": "decide",
        "req": req,
        "kind": "pick",
        "turn_ms": turn_ms,
        "bank_ms": 0,
        "events": [{"type": "dealt"}],
    }
    return {**head, "view": {"turn": req}, "legal": [[n] for n in range(12)], **more}


def lot(view: dict[str, Any], count: int) -> int:
    number: int = runpy.run_path(str(ROOT / "bots/python/kit/khiva_kit.py"))["Lottery"](
        77, view
    ).below(count)
    return number


@pytest.fixture
def talk(framed: Any, cut_frames: Any) -> Any:
    """Run the bot on these messages; its choices, its notes, its exit code. ``spent``
    of it: the last totals of the last run.
    """

    def run(
        env: dict[str, str], *messages: dict[str, Any], words: tuple[str, ...] = ()
    ) -> tuple[list[int], str, int]:
        command = stage(load(WORD))
        done = subprocess.run(
            [*command.argv, *words],
            cwd=command.folder,
            input=framed(*messages),
            env={**NO_PROXY, **command.environment, **env},
            capture_output=True,
            timeout=60,
            check=False,
        )
        sent = cut_frames(done.stdout)
        assert all(message["type"] == "act" for message in sent[1:])
        run.spent = sent[-1].get("spent") if sent else None  # type: ignore[attr-defined]
        return [message["choice"] for message in sent[1:]], done.stderr.decode(), done.returncode

    return run


def env_of(fake: Fake, model: str, **more: str) -> dict[str, str]:
    return {
        "KHIVA_LLM_URL": fake.url,
        "KHIVA_LLM_MODEL": model,
        **{f"KHIVA_LLM_{name}": text for name, text in more.items()},
    }


# --- what a model answers ---


@pytest.mark.parametrize("model", ANSWERS)
def test_an_answer_is_understood_in_every_form(model: str, fake: Fake, talk: Any) -> None:
    before = len(asked_of(fake, model))
    choices, notes, code = talk(env_of(fake, model), hello(), decide())
    assert choices == [{"first": 0, "middle": 5}.get(model, 11)]
    assert (len(asked_of(fake, model)) - before, code) == (1, 0)
    assert f"llm: pick: {choices[0]} of 0-11 by the model; " in notes
    assert "llm: in all 1 decisions, 0 by lot; tries 1, tokens in " in notes


@pytest.mark.parametrize("model", ASKED_TWICE)
def test_a_model_is_asked_again_if_that_may_help(model: str, fake: Fake, talk: Any) -> None:
    turn = decide(turn_ms=30_000, view={"of": model})
    choices, notes, _ = talk(env_of(fake, model), hello(), turn)
    first, second = asked_of(fake, model)
    assert choices == [11]
    assert "tries 2, " in notes
    if model in ("out-of-range", "negative", "wordy", "unsure"):
        *same, said, told = second["messages"]
        assert same == first["messages"]
        assert (said["role"], told["role"]) == ("assistant", "user")
        wrong = {"out-of-range": "12 is not from 0 to 11", "negative": "-1 is not from 0 to 11"}
        assert wrong.get(model, "it names no choice") in told["content"]
        assert "(1 not told)" not in notes
    else:
        assert second == first
        assert "(1 not told)" in notes
    if model in (
        "limited",
        "limited-until",
    ):  # the date has whole seconds, so one of its two may be over
        assert fake.times[model][1] - fake.times[model][0] >= 1


@pytest.mark.soak
@pytest.mark.parametrize("model", BY_LOT)
def test_where_no_answer_comes_lots_are_drawn_and_the_notes_say_why(
    model: str, fake: Fake, talk: Any
) -> None:
    asked_once = model in NEVER_AGAIN or BY_LOT[model].startswith("no answer")
    # A busy machine may need a second for the first try; who hangs is waited for as
    # long as a turn lasts.
    turn = decide(turn_ms=1_500 if asked_once else 5_000, view={"of": model})
    choices, notes, code = talk(env_of(fake, model, KEY=KEY), hello(), turn)
    assert (choices, code) == ([lot({"of": model}, 12)], 0)
    (line,) = [line for line in notes.splitlines() if line.startswith("llm: pick: ")]
    assert f"llm: pick: {choices[0]} of 0-11 by lot: {BY_LOT[model]}" in line
    tries = len(asked_of(fake, model))
    assert tries == 1 if model in NEVER_AGAIN else 2 <= tries <= 6 or "no answer" in line
    assert KEY not in notes
    assert all(body["key"] == f"Bearer {KEY}" for body in asked_of(fake, model))


@pytest.mark.parametrize("where", ["status", "html", "refusal", "text", "choice"])
def test_a_key_that_an_api_repeats_where_its_answer_is_cut_is_not_told(
    where: str, fake: Fake, talk: Any
) -> None:
    _, notes, code = talk(
        env_of(fake, f"repeats-in-{where}", KEY=KEY), hello(), decide(turn_ms=5_000)
    )
    assert code == 0
    assert "xxxxx [key" in notes
    assert KEY[:6] not in notes


def test_an_endpoint_that_is_not_there(talk: Any) -> None:
    """The port is closed, or its name is unknown, or a word before it is no HTTP."""
    for url, what in (
        ("http://127.0.0.1:9/v1", "ConnectionRefusedError"),
        ("http://nowhere.invalid", "gaierror"),
    ):
        choices, notes, code = talk(
            {"KHIVA_LLM_URL": url, "KHIVA_LLM_MODEL": "m"}, hello(), decide()
        )
        assert (choices, code) == ([lot({"turn": 5}, 12)], 0)
        assert what in notes or "no answer in " in notes


def test_tls_that_is_trusted_that_is_not_and_that_hangs(talk: Any, tmp_path: Path) -> None:
    if not shutil.which("openssl"):
        lacks("openssl, which makes the certificate, " + sentence("check", "not-machine"), may=True)
    key, certificate = str(tmp_path / "key.pem"), str(tmp_path / "certificate.pem")
    words = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
        "-subj /CN=fake"
    )
    words += f" -addext subjectAltName=IP:127.0.0.1 -keyout {key} -out {certificate}"
    subprocess.run(words.split(), check=True, capture_output=True, timeout=60)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with fake_llm.serving(context) as server, socket.create_server(("127.0.0.1", 0)) as silent:
        env = env_of(server, "last", KEY=KEY)
        assert server.url.startswith("https://")
        choices, notes, _ = talk(
            {**env, "SSL_CERT_FILE": certificate}, hello(), decide(turn_ms=10_000)
        )
        assert (choices, len(server.asked)) == ([11], 1)
        _, notes, _ = talk(env, hello(), decide(turn_ms=10_000))
        assert "by lot: SSLCertVerificationError: " in notes
        assert len(server.asked) == 1
        url = f"https://127.0.0.1:{silent.getsockname()[1]}"
        _, notes, _ = talk({**env, "KHIVA_LLM_URL": url}, hello(), decide())
        assert "by lot: no answer in " in notes


def test_a_turn_that_is_too_short_asks_nobody(fake: Fake, talk: Any) -> None:
    choices, notes, _ = talk(env_of(fake, "no-model"), hello(), decide(turn_ms=100))
    assert choices == [lot({"turn": 5}, 12)]
    assert "by lot: no time to ask; " in notes
    assert not asked_of(fake, "no-model")


def test_equal_seeds_and_views_draw_equal_lots(fake: Fake, talk: Any) -> None:
    turns = [decide(req, view={"turn": req}) for req in range(1, 9)]
    runs = [talk(env_of(fake, "always-wrong"), hello(), *turns)[0] for _ in range(2)]
    assert runs[0] == runs[1]
    assert len(set(runs[0])) > 2


# --- what a model is told ---


def test_the_system_text_has_the_rules_and_is_equal_in_all_decisions_and_seats(
    fake: Fake, talk: Any
) -> None:
    for game in ("khiva", "emira", "silk_road"):
        before = len(asked_of(fake, "last"))
        for seat in (0, 1):
            rules = registry.get(game).rules({})
            talk(
                env_of(fake, "last"), hello(game=game, rules=rules, seat=seat), decide(), decide(6)
            )
        asked = asked_of(fake, "last")[before:]
        (system,) = {body["messages"][0]["content"] for body in asked}
        page = (ROOT / "khiva_arena" / "games" / game / "RULES.md").read_text()
        for title in ("Pieces", "Rulings", "Decisions", "Events", "The view"):
            (section,) = [part for part in page.split("\n## ") if part.startswith(f"{title}\n")]
            assert section.strip() in system
        assert "## The deal" not in system
        assert "## Sanity numbers" not in system
        assert json.dumps(rules, ensure_ascii=False, separators=(",", ":")) in system
        title = registry.get(game).title
        told = {
            int(size.replace(",", ""))
            for size in re.findall(rf"^\| {title} \| \d \| \d+ \| ([\d,]+) ", PAGE, re.MULTILINE)
        }
        assert [len(system)] == pytest.approx(sorted(told), rel=0.05)
        assert len({body["messages"][1]["content"] for body in asked}) == 4


def test_a_decision_is_told_as_compact_text(fake: Fake, talk: Any) -> None:
    talk(
        env_of(fake, "last"),
        hello(),
        decide(view={"hand": [1, None], "é": True}, legal=[["pile"], [3, "x"]]),
    )
    body = fake.asked[-1]
    assert body["messages"][1] == {
        "role": "user",
        "content": "You are seat 1 of 3.\n"
        'View: {"hand":[1,null],"é":true}\n'
        'Events:\n{"type":"dealt"}\n'
        "Decision: pick\n"
        'Choices:\n0: ["pile"]\n1: [3,"x"]\n'
        'Answer with {"choice": n}, n from 0 to 1.',
    }
    assert body["temperature"] == 0
    assert body["path"] == "/v1/chat/completions"
    assert body["key"] == ""
    assert set(body) == {"model", "messages", "temperature", "path", "key"}
    assert "There is no page of rules" in body["messages"][0]["content"]


def test_of_many_events_the_last_are_told(fake: Fake, talk: Any) -> None:
    events = [{"type": "step", "number": number} for number in range(2_000)]
    talk(env_of(fake, "last"), hello(), decide(events=events))
    told = (
        fake.asked[-1]["messages"][1]["content"]
        .split("Events:\n")[1]
        .split("\nDecision:")[0]
        .splitlines()
    )
    assert told[0] == "(earlier ones left out)"
    assert [json.loads(line) for line in told[1:]] == events[-len(told) + 1 :]
    assert 500 < len(told) < 1_000


def test_a_page_of_one_s_own_takes_the_place_of_the_rules(
    fake: Fake, talk: Any, tmp_path: Path
) -> None:
    arena("new", WORD, "mine", cwd=tmp_path)
    (tmp_path / "mine" / "khiva.md").write_text("Play the last choice.")
    toml = tmp_path / "mine" / "bot.toml"
    before = load(str(tmp_path / "mine")).identity
    toml.write_text(
        toml.read_text()
        .replace('"*.py"', '"*.py", "*.md"')
        .replace("main.py", f"main.py --url {fake.url} --model last")
    )
    assert load(str(tmp_path / "mine")).identity != before
    match = khiva_arena.match(
        tmp_path / "mine", "shipped:python/random", isolation="trusted", seed="a"
    )
    assert match.verdicts == ("ok", "ok")
    assert fake.asked[-1]["messages"][0]["content"].endswith("\n\nPlay the last choice.")


# --- settings ---


def test_words_win_over_the_environment_and_are_part_of_the_identity(
    fake: Fake, talk: Any, tmp_path: Path
) -> None:
    words = ("--model", "first", "--temperature", "none", "--key-in", "MY_KEY", "--notes", "short")
    choices, notes, _ = talk(
        {**env_of(fake, "last", KEY="other"), "MY_KEY": KEY}, hello(), decide(), words=words
    )
    assert choices == [0]
    assert "temperature" not in fake.asked[-1]
    assert fake.asked[-1]["key"] == f"Bearer {KEY}"
    assert "said: 0\n" in notes
    assert "asked: " not in notes
    assert "\nprompt: You play one seat" in notes
    identities = set()
    for name in ("small", "large"):
        arena("new", WORD, name, cwd=tmp_path)
        toml = tmp_path / name / "bot.toml"
        toml.write_text(
            toml.read_text()
            .replace("main.py", f"main.py --model {name}")
            .replace(f'name = "{name}"', 'name = "same"')
        )
        identities.add(load(str(tmp_path / name)).identity)
    assert len(identities) == 2


def test_what_is_missing_or_wrong_is_said_in_one_line(fake: Fake, talk: Any) -> None:
    good = env_of(fake, "last")
    for env, words, what in (
        (
            {},
            (),
            (
                "llm: KHIVA_LLM_URL is missing: the address of an OpenAI-compatible API, such "
                "as https://api.example.com/v1; KHIVA"
            ),
        ),
        (
            {"KHIVA_LLM_URL": fake.url},
            (),
            "llm: KHIVA_LLM_MODEL is missing: the name of a" + " model of that API\n",
        ),
        (
            {**good, "KHIVA_LLM_URL": "ftp://x"},
            (),
            "llm: KHIVA_LLM_URL: http:// or https:// and a host, ",
        ),
        ({**good, "KHIVA_LLM_URL": "http://[::1"}, (), "llm: KHIVA_LLM_URL: "),
        ({**good, "KHIVA_LLM_URL": "http://me:secret@x"}, (), "llm: KHIVA_LLM_URL: "),
        ({**good, "KHIVA_LLM_URL": "http://x:99999"}, (), "llm: KHIVA_LLM_URL: "),
        (
            {**good, "KHIVA_LLM_TEMPERATURE": "nan"},
            (),
            "llm: KHIVA_LLM_TEMPERATURE: a number from 0 on is expected, not 'nan'\n",
        ),
        (
            {**good, "KHIVA_LLM_PRICE_IN": "1"},
            (),
            "llm: KHIVA_LLM_PRICE_IN and KHIVA_LLM_PRICE_OUT go together\n",
        ),
        (
            {**good, "KHIVA_LLM_NOTES": "none"},
            (),
            "llm: KHIVA_LLM_NOTES: all or short, not 'none'\n",
        ),
        (
            {**good, "KHIVA_LLM_KEY": "a\tb"},
            (),
            "llm: the key has characters that no header can have\n",
        ),
        (
            {**good, "KHIVA_LLM_RETRIES": "2"},
            (),
            "llm: KHIVA_LLM_RETRIES is not read: write --retries into the run line of bot.toml\n",
        ),
        (good, ("--legal", "maybe"), "llm: --legal: yes or no, not 'maybe'\n"),
        (good, ("--key", KEY), "llm: '--key': known are --url, --model, --key-in, "),
        (good, ("--model",), "llm: '--model': known are "),
        (good, ("--key-in", "NOT_THERE"), "llm: NOT_THERE is missing, which --key-in names\n"),
    ):
        choices, notes, code = talk(env, hello(), decide(), words=words)
        assert (choices, code) == ([], 1)
        assert notes.startswith(what)
        assert notes.count("\n") == 1


def test_without_an_address_it_is_a_failed_start(tmp_path: Path) -> None:
    said = arena(
        "match",
        "--bot",
        WORD,
        "--bot",
        "shipped:python/random",
        "--isolation",
        "trusted",
        cwd=tmp_path,
        code=None,
    )
    assert said.returncode != 0
    assert "llm: KHIVA_LLM_URL is missing" in said.stdout + said.stderr


def test_the_cost_is_what_the_tokens_cost(fake: Fake, talk: Any) -> None:
    env = env_of(fake, "last", PRICE_IN="3", PRICE_OUT="15")
    _, notes, _ = talk(env, hello(), decide(), decide(6))
    lines = [line for line in notes.splitlines() if "tokens in" in line]
    costs = []
    for line in lines:
        into, out = (
            int(line.split(f"{word} ")[-1].split()[0].strip(",")) for word in ("tokens in", "out")
        )
        costs.append(float(line.rpartition("cost ")[2]))
        assert costs[-1] == pytest.approx((into * 3 + out * 15) / 1e6, abs=1e-6)
    assert costs[0] > 0
    assert costs[2] == pytest.approx(costs[0] + costs[1], abs=2e-6)
    assert (
        "tokens in 0 (cached 0), out 0 (1 not told), cost n/a"
        in talk(env_of(fake, "odd-usage"), hello(), decide())[1]
    )


@pytest.mark.parametrize(
    ("model", "turn_ms", "by", "untold"),
    [
        ("last", 9_000, "model", 0),
        ("odd-usage", 9_000, "model", 1),
        ("limited", 9_000, "model", 1),
        ("wordy", 9_000, "retry", 0),
        ("always-wrong", 9_000, "lot", 0),
        ("hangs", 1_500, "failed", 1),
        ("last", 100, "failed", 0),
    ],
)
def test_the_totals_say_who_chose_and_what_nobody_told(
    model: str, turn_ms: int, by: str, untold: int, fake: Fake, talk: Any
) -> None:
    env = env_of(fake, model, PRICE_IN="3", PRICE_OUT="15")
    _, notes, _ = talk(
        env,
        hello(caps=["spent"]),
        decide(turn_ms=turn_ms, view={"of": f"{model} {turn_ms} totals"}),
    )
    assert {name: talk.spent[name] for name in ("model", "retry", "lot", "failed")} == {
        name: int(name == by) for name in ("model", "retry", "lot", "failed")
    }
    assert ("tokens_in" in talk.spent, "tokens_in_told" in talk.spent) == (not untold, bool(untold))
    assert ("cost >=" in notes) == bool(untold)


def test_its_start_loads_no_http(framed: Any) -> None:
    command = stage(load(WORD))
    env = {
        **NO_PROXY,
        **command.environment,
        "KHIVA_LLM_URL": "http://127.0.0.1:9",
        "KHIVA_LLM_MODEL": "m",
    }
    words = [sys.executable, "-X", "importtime", *command.argv[1:]]
    done = subprocess.run(
        words, cwd=command.folder, env=env, input=framed(hello()), capture_output=True, check=True
    )
    loaded = {
        line.rpartition("|")[2].strip()
        for line in done.stderr.decode().splitlines()
        if line.startswith("import time:")
    }
    assert "settings" in loaded
    assert not loaded & {
        "http.client",
        "ssl",
        "json",
        "argparse",
        "dataclasses",
        "typing",
        "threading",
        "player",
    }


def test_it_is_listed_and_left_out_of_those_that_need_no_network() -> None:
    assert WORD in shipped.bots()
    for game in ("khiva", "emira", "silk_road"):
        assert WORD not in ready_bots(game)
        assert "shipped:python/random" in ready_bots(game)
