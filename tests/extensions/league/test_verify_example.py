"""protocol/examples/verify_bundle.py on bundles of leagues: what it takes, and cheats
that it names from documents alone.
"""

import copy
import importlib.util
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from arena import ROOT
from bundling import forged, lines_of
from leagues import enter, league_in, player_of_names

from khiva_arena.extensions.league.league_options import LeagueOptions
from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.interface.commands.bundle import bundle

EXAMPLE = ROOT / "protocol" / "examples" / "verify_bundle.py"
Line = dict[str, Any]


def said(path: Path) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, str(EXAMPLE), str(path)], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def bundled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle of a league of three batches with a table that was set aside, a season
    and changes of the roster.
    """
    folder = tmp_path_factory.mktemp("league")
    league = league_in(folder / "spring", options=LeagueOptions(retry_minutes=0, most_tables=2))
    quick = enter(league, "ann", "quick")
    for author in ("bob", "eve", "kim", "joe"):
        enter(league, author, f"bot of {author}")
    attempts: list[int] = []

    def fails(ordinal: int, _attempt: int) -> bool:
        attempts.extend([ordinal] * (ordinal == 4))
        return ordinal == 4 and len(attempts) <= 4

    with pytest.MonkeyPatch.context() as patch:
        played = player_of_names(patch)
        played(league, 1, fails=fails)
        enter(league, "ann", "quick", "better")
        with Queue(league.folder) as queue:
            queue.add_change(quick, "retired", "")
            queue.add_change("", "season", "two")
        played(league, 2)
    out = folder / "spring.bundle"
    bundle(league.folder, out, (), with_modules=False)
    return out


@cache
def example() -> Any:
    spec = importlib.util.spec_from_file_location("verify_bundle", EXAMPLE)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_league_is_sound_by_documents_alone(bundled: Path) -> None:
    code, text = said(bundled)
    assert code == 0, text
    assert "3 batches; the newest is link" in text


def chained(links: list[Line]) -> None:
    """Number links anew, and let each name the one before it."""
    digest = example().digest
    before = links[0]["before"]
    for number, link in enumerate(links):
        link |= {"number": number, "before": before}
        before = digest("khiva-link-1\0", example().canonical(link)).hexdigest()


def _drop_a_link(links: list[Line]) -> None:
    del links[2]


def _drop_a_roster_change(links: list[Line]) -> None:
    links.remove(next(link for link in links if link["kind"] == "change"))
    chained(links)


def _retire_a_bot_before(links: list[Line]) -> None:
    entered = next(link for link in links if link["kind"] == "enter")
    at = next(number for number, link in enumerate(links) if link["kind"] == "batch")
    links.insert(
        at,
        {
            "kind": "change",
            "at": "",
            "identity": entered["identity"],
            "state": "suspended",
            "why": "",
        },
    )
    chained(links)


def _change_an_anchor(links: list[Line]) -> None:
    links[0]["anchors"][0]["state"] = "x"
    links[0]["anchors"][0]["identity"] = "ab" * 32
    chained(links)


def _publish_another_commitment(links: list[Line]) -> None:
    next(link for link in links if link["kind"] == "batch")["commitment"] = "ab" * 32
    chained(links)


def _set_nothing_aside(links: list[Line]) -> None:
    next(link for link in links if link["kind"] == "over")["set_aside"] = []
    chained(links)


def _count_batches_otherwise(links: list[Line]) -> None:
    for link in links:
        if link["kind"] in ("batch", "over"):
            link["batch"] += 1
    chained(links)


def _found_it_with_other_conditions(links: list[Line]) -> None:
    links[0]["terms"]["conditions"]["ponder"] = False
    chained(links)


CHEATS = {
    _drop_a_link: "does not follow",
    _drop_a_roster_change: "its batch is of another place",
    _retire_a_bot_before: "its batch is of another place",
    _change_an_anchor: "its batch is of another place",
    _publish_another_commitment: "its batch has another commitment",
    _set_nothing_aside: "sets other tables",
    _count_batches_otherwise: "would be next",
    _found_it_with_other_conditions: "its batch has other conditions",
}


@pytest.mark.parametrize("cheat", CHEATS, ids=lambda cheat: cheat.__name__.strip("_"))
def test_a_cheat_is_named_by_documents_alone(
    bundled: Path, tmp_path: Path, cheat: Callable[[list[Line]], None]
) -> None:
    lines = lines_of(bundled)
    links = [line["link"] for line in lines if line["kind"] == "link"]
    cheat(links)
    rest = [line for line in lines[1:] if line["kind"] != "link"]
    out = tmp_path / "forged.bundle"
    out.write_bytes(forged([lines[0], *({"kind": "link", "link": link} for link in links), *rest]))
    code, text = said(out)
    assert (code, CHEATS[cheat] in text) == (1, True), text


# --- what a batch must seat ---


def batch_of(tables: list[list[int]], **terms: object) -> tuple[Any, ...]:
    """The arguments of ``check_batch`` for a batch of seven bots: an anchor, two
    versions of one, two of one author.
    """
    who = [
        ("anchor", "f0", ""),
        *(
            (f"b{n}", "f1" if n < 3 else f"f{n}", "a" if 3 <= n < 5 else f"a{n}")
            for n in range(1, 7)
        ),
    ]
    active = [
        {"name": name, "identity": name, "family": family, "author": author}
        for name, family, author in who
    ]
    groups = [
        ("anchor", 0, 0),
        ("b1", 1, 1),
        ("b2", 1, 2),
        ("b3", 2, 3),
        ("b4", 3, 3),
        ("b5", 4, 4),
        ("b6", 5, 5),
    ]
    roster = example().digest(example().canonical(groups)).hexdigest()
    batch = {"number": 1, "before": "2", "roster": roster, "tables": tables}
    rest = {
        "format": "league",
        "seats": 3,
        "seeds": 1,
        "copies": 1,
        "lineups": None,
        "seed": None,
        "game": "x",
    }
    what = {
        "batch": batch,
        "bots": [{"name": name, "identity": name} for name, _, _ in who],
        **rest,
    }
    module = example()
    link = {
        "batch": 1,
        "definition": module.digest(module.canonical(what)).hexdigest(),
        "commitment": "c",
    }
    rules = {
        "conditions": {"game": "x"},
        "seats": 3,
        "seeds": 1,
        "most_tables": None,
        "authors_apart": True,
        **terms,
    }
    return (
        "link 1",
        link,
        rules,
        active,
        {"definition": what, "commitment": "c"},
        "2",
        Counter(),
    )


GOOD = [[0, 1, 3], [2, 4, 5], [6, 1, 0]]


def test_a_batch_that_seats_everybody_apart_is_taken() -> None:
    example().check_batch(*batch_of(copy.deepcopy(GOOD)))


@pytest.mark.parametrize(
    ("tables", "terms", "words"),
    [
        ([[0, 1, 2], [3, 5, 6], [4, 1, 0]], {}, "versions of one"),
        ([[0, 1, 1], [2, 3, 5], [4, 6, 0]], {}, "versions of one"),
        ([[0, 1, 3], [2, 4, 5], [4, 1, 0]], {}, "b6 has no seat"),
        ([[6, 1, 3], [2, 4, 5], [4, 1, 6]], {"most_tables": 2}, "anchor anchor does not play"),
        ([[0, 3, 4], [2, 1, 5], [6, 1, 0]][:1] + GOOD[1:] + [[1, 5, 6]], {}, "of one author"),
        (GOOD, {"seats": 2}, "other conditions"),
        (GOOD, {"conditions": {"game": "y"}}, "other conditions"),
    ],
)
def test_a_batch_that_breaks_a_rule_of_the_draw_is_named(
    tables: list[list[int]], terms: dict[str, object], words: str
) -> None:
    with pytest.raises(SystemExit, match=words):
        example().check_batch(*batch_of(tables, **terms))


def test_who_waits_twice_in_a_row_is_named() -> None:
    arguments = batch_of([[0, 1, 3], [4, 5, 6], [4, 1, 0]], most_tables=2)
    example().check_batch(*arguments)
    with pytest.raises(SystemExit, match="b2 has no seat"):
        example().check_batch(*arguments)
