"""The bot that a language model plays in whole matches, and the page about it, against
an endpoint that behaves in many ways.
"""

import json
import re
import runpy
import shlex
from pathlib import Path

import pytest
from arena import ROOT, arena
from fake_llm import Fake
from wording import sentence

import khiva_arena

pytestmark = pytest.mark.slow

WORD = "shipped:python/llm"
PAGE = (ROOT / "docs" / "language-models.md").read_text()
COSTS = (ROOT / "docs" / "model-costs.md").read_text()


def player(folder: Path, url: str, model: str) -> Path:
    """A bot of one's own that names its model and address in its run line, as the bare
    environment of `trusted` asks for.
    """
    place = folder / model
    arena("new", WORD, model, cwd=folder)
    toml = place / "bot.toml"
    toml.write_text(toml.read_text().replace("main.py", f"main.py --url {url} --model {model}"))
    return place


GIVE_NONE = ("refusal", "unauthorised", "always-wrong", "elsewhere")
MATCHES = {
    "khiva": ("prose", "out-of-range", "refusal", "unauthorised"),
    "emira": ("parts", "wordy", "always-wrong"),
    "silk_road": ("middle", "elsewhere", "negative"),
}


@pytest.mark.soak
@pytest.mark.parametrize("game", MATCHES)
def test_whole_matches_without_a_fault(game: str, fake: Fake, tmp_path: Path) -> None:
    bots = [player(tmp_path, fake.url, model) for model in MATCHES[game]]
    match = khiva_arena.match(*bots, game=game, isolation="trusted", turn="5s", seed="llm")
    assert set(match.verdicts) == {"ok"}
    choices = [choice for step in json.loads(match.to_json())["steps"] for choice in step]
    assert {why for _, _, why in choices} == {""}
    for seat, (model, notes) in enumerate(zip(MATCHES[game], match.notes or (), strict=True)):
        words = next(
            line for line in reversed(notes.splitlines()) if line.startswith("llm: in all ")
        ).split()
        decisions, lots = int(words[3]), int(words[5])
        assert decisions == sum(of == seat for of, _, _ in choices) > 0
        assert lots == (decisions if model in GIVE_NONE else 0)


@pytest.mark.soak
def test_a_whole_match_against_endpoints_that_hang_lie_and_flood(
    fake: Fake, tmp_path: Path
) -> None:
    """The clock is the arena's: what is late would be a strike."""
    models = ("hangs", "dripping-head", "huge", "down", "limited-for-long")
    bots = [player(tmp_path, fake.url, model) for model in models]
    match = khiva_arena.match(
        *bots, isolation="trusted", turn="600ms", bank="2s", seed="llm", policy="strict"
    )
    assert set(match.verdicts) == {"ok"}
    assert {why for step in json.loads(match.to_json())["steps"] for _, _, why in step} == {""}
    for notes in match.notes or ():
        assert "llm: in all " in notes


@pytest.mark.usefixtures("standard")
def test_without_a_network_it_plays_by_lot_and_still_has_its_rules(tmp_path: Path) -> None:
    bots = [player(tmp_path, "http://127.0.0.1:9/v1", name) for name in ("one", "two")]
    match = khiva_arena.match(*bots, isolation="standard", seed="llm")
    assert match.verdicts == ("ok", "ok")
    for notes in match.notes or ():
        assert "; bots have no network unless --network opens it; " in notes
        (characters,) = re.findall(
            r"^llm: model .*; system text (\d+) characters", notes, re.MULTILINE
        )
        assert int(characters) > 10_000


# --- the page ---


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE + COSTS, re.MULTILINE | re.DOTALL)


@pytest.mark.soak
def test_the_tournament_of_the_page(fake: Fake, tmp_path: Path) -> None:
    """With models that answer at once, on fewer deals."""
    (text,) = [text for text in blocks("toml") if text.startswith("[[model]]")]
    (shown, *_) = [
        text.replace("\\\n", " ") for text in blocks("sh") if "khiva-arena run --models" in text
    ]
    urls = ("https://api.example.com/v1", "http://127.0.0.1:8080/v1")
    models = {
        "small-2026-05-01": "last",
        "large-2026-05-01": "middle",
        'model = "other"': 'model = "always-wrong"',
    }
    for old, new in {**dict.fromkeys(urls, fake.url), **models}.items():
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "models.toml").write_text(text)
    words = shlex.split(shown.replace("--seeds 10", "--seeds 1"))
    table = arena(*words[1:], "--yes", cwd=tmp_path, env={"KHIVA_LLM_KEY": "sk-none"}).stdout
    assert all(re.search(rf"\b{name}\b", table) for name in ("small", "large", "other", "greedy"))
    assert "12 of 12 matches are sound" in arena("verify", "results/models", cwd=tmp_path).stdout
    assert "plays 120 matches" in PAGE
    (line,) = [line for line in "".join(blocks("sh")).splitlines() if "--most-lots" in line]
    listed = arena(*shlex.split(line)[1:], cwd=tmp_path).stdout
    assert re.search(r"^-- more than 20 % random choices.*\n.* other ", listed, re.MULTILINE)
    said = json.loads(arena("standings", "results/models", "--json", cwd=tmp_path).stdout)
    spent = {row["name"]: row["spent"] for row in said["standings"][0]["rows"]}
    assert spent.pop("greedy") is None
    logged = dict.fromkeys(spent, 0)
    for match in khiva_arena.matches(tmp_path / "results/models"):
        for bot, notes in zip(match.bots, match.notes, strict=True):
            logged[bot] = logged.get(bot, 0) + sum(
                map(int, re.findall(r"^llm: in all .* tokens in (\d+) ", notes, re.MULTILINE))
            )
    for name, one in spent.items():
        totals = one["totals"]
        assert totals["tokens_in"] == logged[name] > 0
        assert (totals.get("cost", 0) > 0) == (name != "other"), "whose prices are 0"
        assert totals["lot" if name == "other" else "model"] == one["decisions"] > 0
        assert totals["retry"] == totals["failed"] == 0


def test_every_setting_is_in_the_page() -> None:
    settings = runpy.run_path(str(ROOT / "bots/python/llm/settings.py"))
    names, words_only = settings["NAMES"], settings["WORDS_ONLY"]
    (table,) = [
        part.split("\n\n")[0]
        for part in PAGE.split(
            "| " + sentence("settings", "run-line") + " | in the environment | meaning |\n"
        )[1:]
    ]
    assert set(re.findall(r"`(--[a-z-]+)`", table)) == {
        f"--{name.replace('_', '-')}" for name in names
    }
    assert set(re.findall(r"`(KHIVA_LLM_[A-Z_]+)`", table)) == {
        f"KHIVA_LLM_{name.upper()}"
        for name in (*names, "key")
        if name not in ("price_out", *words_only)
    }


def test_the_sums_of_the_page_are_right() -> None:
    rows = re.findall(
        r"^\| (Khiva|Emira|Silk Road) \| (\d) \| (\d+) \| ([\d,]+) \| ([\d,]+) \| (\d+) \|$",
        PAGE,
        re.MULTILINE,
    )
    assert len(rows) == 7
    for _, _, decisions, system, question, thousands in rows:
        characters = int(decisions) * (
            int(system.replace(",", "")) + int(question.replace(",", ""))
        )
        assert characters / 3000 == pytest.approx(int(thousands), rel=0.02)
    asked, into = 60 * int(rows[0][2]), 60 * int(rows[0][5]) / 1000
    assert f"{asked:,} requests with {into:.1f} million tokens in" in PAGE
    assert (round(into * 0.15, 2), round(asked * 10 * 0.6 / 1e6, 2)) == (1.19, 0.01)
    assert (
        round(into * 3, 1),
        round(asked * 10 * 15 / 1e6, 2),
        round(asked * 1500 * 15 / 1e6),
    ) == (23.8, 0.21, 31)
