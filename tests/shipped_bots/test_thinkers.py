"""The bots of ``khiva-arena new LANGUAGE --search``: whole in their folder, legal by
any rules, equal for a count of playouts, soon done when there is no time, and at rest
about what makes no sense.
"""

import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import languages
import pytest
from arena import arena
from asked_khiva import TIMES, answers, requests_of
from in_targets import in_long
from rules_in_c import changed
from shared_builds import libraries
from tools import need_language, need_module_tools
from wording import sentence

from khiva_arena.common import shipped

pytestmark = pytest.mark.slow

ALL = [name for name, language in shipped.languages().items() if language.search]
IN_C = [name for name in ALL if name != "python"]
"""Those that draw the same chance."""
PLAYOUTS = 400
CONSTANT = re.compile(r"(\bPLAYOUTS\b[^\n=]*?=? |^\tplayouts = )0\b(?=;?$)", re.MULTILINE)
LABEL, MATCHES, ASKED = "thinkers", 8, 6


def made(name: str, folder: Path, playouts: int = PLAYOUTS) -> Path:
    """Make a bot that thinks for so many playouts."""
    need_tools(name)
    arena("new", name, "mine", "--search", cwd=folder)
    main = folder / "mine" / shipped.languages()[name].main
    text, count = CONSTANT.subn(rf"\g<1>{playouts}", main.read_text("utf-8"))
    assert count == 1
    main.write_text(text, "utf-8")
    return folder / "mine"


def need_tools(name: str) -> None:
    word, _, kind = shipped.languages()[name].search.partition(".")
    need_language(name)
    (need_module_tools if kind else need_language)(word)


@pytest.mark.parametrize("name", ALL)
def test_the_file_to_read_is_short(name: str) -> None:
    language = shipped.languages()[name]
    lines = (language.folder / "thinker" / language.main).read_text("utf-8").splitlines()
    assert 100 <= len(lines) <= 200
    assert max(map(len, lines)) <= 130


@pytest.mark.usefixtures("rules_in_c")
@languages.each(ALL)
def test_a_new_one_plays_a_match_without_a_fault(name: str, lay_out: Any, tmp_path: Path) -> None:
    lay_out(made(name, tmp_path), name)
    for seats, turn in ((2, "1s"), (3, "40ms")):
        words = [
            "--bot",
            "mine",
            *["--bot", "shipped:python/greedy"] * (seats - 1),
            "--seed",
            "new",
            "--turn",
            turn,
        ]
        said = json.loads(arena("match", "--trust-bots", *words, "--json", cwd=tmp_path).stdout)
        assert said["verdicts"] == ["ok"] * seats, said


@pytest.mark.soak
@languages.each(ALL)
def test_each_choice_is_legal_and_equal_in_another_process(
    name: str, lay_out: Any, framed: Any, conversation: Any, tmp_path: Path
) -> None:
    bot, others = lay_out(made(name, tmp_path), name), 0
    for number in range(MATCHES):
        given, requests = requests_of(LABEL, number, ASKED)
        choices = answers(bot, conversation[0] | given, requests, framed)
        assert answers(bot, conversation[0] | given, requests[1:], framed) == choices[1:], given
        others += sum(choice > 0 for choice in choices)
    assert others > MATCHES


@pytest.mark.language
def test_all_that_draw_the_same_chance_choose_the_same(
    lay_out: Any, framed: Any, conversation: Any, tmp_path: Path
) -> None:
    for name in IN_C:
        need_tools(name)
        (tmp_path / name).mkdir()
    bots = [lay_out(made(name, tmp_path / name), name) for name in IN_C]
    for number in range(4):
        given, requests = requests_of(LABEL, number, ASKED)
        choices = [answers(bot, conversation[0] | given, requests, framed) for bot in bots]
        assert choices == choices[:1] * len(bots), given


@pytest.mark.usefixtures("rules_in_c")
@languages.each(ALL, "thinker", first=("python", "javascript", "c", "go"))
def test_without_time_it_tries_little(
    name: str, staged: Any, framed: Any, conversation: Any
) -> None:
    need_tools(name.partition("/")[0])
    for number in range(2):
        given, requests = requests_of(LABEL, number, ASKED)
        said = staged(name).run(framed(conversation[0] | given, *requests))
        counts = [
            int(count) for count in re.findall(r"^(\d+) playouts in ", said.notes, re.MULTILINE)
        ]
        assert len(counts) == len(requests)
        assert all(1 <= count < 1000 for count in counts), counts


@pytest.mark.language
def test_a_changed_view_makes_no_slip_with_memory_or_numbers(
    sanitized: Any, framed: Any, conversation: Any
) -> None:
    bot, lots = sanitized("c/thinker"), random.Random("spoilt")
    for number in range(MATCHES):
        given, requests = requests_of(LABEL, number, ASKED)
        for times in (TIMES, {"turn_ms": 200, "bank_ms": 1}):
            wrong = [row | times | {"view": changed(row["view"], lots)} for row in requests]
            every = [*wrong, *requests]
            assert len(answers(bot, conversation[0] | given, every, framed)) == len(every)


@pytest.mark.soak
@languages.each(ALL, "thinker")
def test_a_view_in_which_a_number_is_wrong_ends_no_bot(
    name: str, staged: Any, framed: Any, conversation: Any
) -> None:
    need_tools(name.partition("/")[0])
    bot, lots = staged(name), random.Random("spoilt")
    for number in range(MATCHES):
        given, requests = requests_of(LABEL, number, ASKED)
        hello = conversation[0] | given
        wrong = [row | {"view": changed(row["view"], lots)} for _ in range(4) for row in requests]
        none = [row | {"legal": [*row["legal"], row["legal"][0]]} for row in requests]
        none += [row | {"view": {}} for row in requests] + [
            row | {"legal": row["legal"][:1]} for row in requests
        ]
        none += [
            row | {"view": row["view"] | {"gems": number}}
            for row in requests
            for number in (2**63, 2**64 - 1)
        ]
        assert not any(answers(bot, hello, [*wrong, *none], framed)[len(wrong) :])
        assert not any(answers(bot, hello | {"rules": {}}, requests, framed))


@pytest.mark.usefixtures("rules_in_c")
@languages.each(ALL, "thinker")
def test_where_the_time_is_none_or_nothing_it_answers_at_once(
    name: str, staged: Any, framed: Any, conversation: Any
) -> None:
    need_tools(name.partition("/")[0])
    given, requests = requests_of(LABEL, 1, ASKED)
    for times in ({"turn_ms": 0, "bank_ms": 0}, {"turn_ms": -5, "bank_ms": -(2**40)}):
        said = staged(name).run(framed(conversation[0] | given, *[row | times for row in requests]))
        counts = [
            int(count) for count in re.findall(r"^(\d+) playouts in ", said.notes, re.MULTILINE)
        ]
        assert len(counts) == len(said.messages) - 1 == len(requests)
        assert all(1 <= count <= 8 for count in counts), "it looks at the clock after eight"
    untimed = [
        {key: value for key, value in row.items() if key not in TIMES} | {"events": []}
        for row in requests
    ]
    if name == "cpp/thinker":  # the kit of C++ ends a bot that asks for what is not there
        said = staged(name).run(framed(conversation[0] | given, *untimed))
        assert (said.code, said.notes.strip()) == (1, "ended by an exception: there is no turn_ms")
    else:
        answers(staged(name), conversation[0] | given, untimed, framed)


@pytest.mark.language
@pytest.mark.xdist_group("go")
def test_the_one_in_go_is_for_every_go_that_its_page_names(
    staged: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    need_language("go")
    env = (
        os.environ
        | libraries(tmp_path_factory)
        | {"GO111MODULE": "off", "GOPATH": "/usr/share/gocode"}
    )
    folder = Path(staged("go/thinker").folder)
    assert "Go 1.19 or newer" in (shipped.folder("bots") / "go" / "README.md").read_text("utf-8")
    words = ["go", "build", "-gcflags=-lang=go1.19", "-o", os.devnull, "."]
    built = subprocess.run(
        words, cwd=folder, env=env, capture_output=True, text=True, timeout=300, check=False
    )
    assert built.returncode == 0, built.stderr


@pytest.mark.language
@pytest.mark.parametrize(
    "name", ["c", "cpp", *in_long(["rust"])]
)  # twenty seconds to build; entrants has another module of Rust
def test_as_a_module_it_thinks_by_ticks_and_a_match_repeats(
    name: str, lay_out: Any, tmp_path: Path
) -> None:
    need_module_tools(name)
    need_module_tools("c")
    arena("new", name, "mine", "--search", "--module", cwd=tmp_path)
    lay_out(tmp_path / "mine", name)
    words = [
        "--clock",
        "ticks",
        "--bot",
        "mine",
        "--bot",
        "mine",
        "--seed",
        "1",
        "--turn",
        "100ms",
        "--bank",
        "0s",
    ]
    record = json.loads(arena("match", *words, "--json", cwd=tmp_path).stdout)
    assert record["verdicts"] == ["ok", "ok"]
    again = arena("match", *words, "--notes", cwd=tmp_path)
    assert record["digest"] in again.stdout
    spent = [
        float(ms) for ms in re.findall(r"playouts in ([\d.]+) ms", again.stdout + again.stderr)
    ]
    assert len(spent) > 10
    assert all(5.0 <= ms < 6.0 for ms in spent), "a twentieth of the turn"


def test_without_the_rules_in_c_the_one_in_python_says_so(
    staged: Any, framed: Any, conversation: Any, tmp_path: Path
) -> None:
    place = staged("python/thinker").folder
    code = (
        "import runpy, sys; from khiva_arena.crules import library; library.build.program = "
        "lambda name: ''; "
    )
    code += (
        "sys.path.insert(0, sys.argv[1]); runpy.run_path(sys.argv[1] + '/main.py', "
        "run_name='__main__')"
    )
    said = subprocess.run(
        [sys.executable, "-c", code, str(place)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (said.returncode, said.stdout) == (1, "")
    assert said.stderr.count("\n") == 1
    assert sentence("crules", "not-built") in said.stderr


@pytest.mark.soak
@pytest.mark.long
@languages.each(["c", "python"])
@pytest.mark.parametrize("seats", [2, 3])
def test_it_beats_greedy(name: str, seats: int, tmp_path: Path) -> None:
    """Over fixed deals in all seatings, so a constant, with fewer playouts than there
    are by the clock. Sixty deals: with twenty the score of one bot was 60 to 77 on five
    seeds.
    """
    made(name, tmp_path, playouts=4000)
    rivals = ["--bot", "mine", "--bot", "shipped:python/greedy"]
    words = [
        "--format",
        "gauntlet",
        "--copies",
        str(seats - 1),
        "--seats",
        str(seats),
        "--seeds",
        "60",
        "--seed",
        "strength",
    ]
    arena("run", "--trust-bots", *words, *rivals, "--out", "games", cwd=tmp_path, seconds=600)
    (table,) = json.loads(arena("standings", "games", "--json", cwd=tmp_path).stdout)["standings"]
    mine = next(row for row in table["rows"] if row["name"] == "mine")
    assert mine["score"] > 64.0  # percent of the pairs with one of the others; 100 Elo are 64
