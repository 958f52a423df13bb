"""A check of a bundle as a page makes it, over the arena's own runner: an honest one is
equal, and what is forged is named.
"""

import json
import random
import zlib
from pathlib import Path
from typing import Any

import pytest
from arena import ROOT
from bundling import forged, lines_of
from in_targets import in_long, soak_but_every
from module_cup import FORGERIES, HOSTILE, MATCHES, OTHER_GAMES, OwnMachine, forged_lines, of_kind
from module_cup import module_cup as module_cup
from module_cup import other_cups as other_cups

from khiva_arena.arbiter.wire import HostFault
from khiva_arena.common import hooks
from khiva_arena.competition.events.in_bundle import bundled_match
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.checker import in_page, not_checked, plain_values
from khiva_arena.records.replay.record import canonical

pytestmark = pytest.mark.slow
Event = dict[str, Any]


def checked(data: bytes, machine: in_page.Machine | None = None) -> list[Event]:
    """All events of a check, as JSON has them."""
    events: list[Event] = []
    in_page.check(
        data, machine or OwnMachine(), lambda event: events.append(json.loads(json.dumps(event)))
    )
    assert [event["kind"] for event in events].count("end") == 1
    return events


def test_an_honest_bundle_is_equal_and_what_was_not_checked_stands_first(module_cup: Path) -> None:
    machine = OwnMachine()
    events = checked((module_cup / "cup.khiva").read_bytes(), machine)
    assert events[-1] == {"kind": "end", "verdict": "equal", "problems": [], "unknown": []}
    assert [event["verdict"] for event in of_kind(events, "match")] == ["equal"] * MATCHES
    assert "Elo" in of_kind(events, "not_checked")[0]["what"]
    assert events.index(of_kind(events, "not_checked")[0]) < events.index(
        of_kind(events, "read")[0]
    )
    assert machine.runs == 3 * MATCHES, "one run a seat: what is likely came"
    (table,) = of_kind(events, "table")
    assert (table["matches"], table["differs"]) == (MATCHES, [])
    assert HOSTILE in [row["name"] for row in table["rows"]]


def test_each_match_is_listed_and_its_replay_ends_with_its_points(module_cup: Path) -> None:
    path = module_cup / "cup.khiva"
    (page,) = (event["page"] for event in of_kind(checked(path.read_bytes()), "matches"))
    names = [bot["name"] for bot in page["events"][0]["bots"]]
    assert len(page["matches"]) == MATCHES
    for match in page["matches"]:
        record, _ = bundled_match(path, f"1/{match[1]}")
        assert [names[bot] for bot in match[6]] == [seat.name for seat in record.header.seats]
        assert match[7:9] == [[*record.ranks], [*record.scores]]
    found = plain_values.replay(path, "1/3")
    assert found["block"]["scores"][0][-1] == [*bundled_match(path, "1/3").record.scores]
    assert {"legal", "scenery"} < found.keys()
    with pytest.raises(ConfigError, match="no match"):
        plain_values.replay(path, "1/99")


@pytest.mark.parametrize("name", soak_but_every(FORGERIES, 3))
def test_what_is_forged_is_named_and_nothing_is_called_equal(module_cup: Path, name: str) -> None:
    lines, said = forged_lines(module_cup / "cup.khiva", name)
    events = checked(forged(lines))
    assert events[-1]["verdict"] == "differs"
    assert any(said in problem for problem in events[-1]["problems"]), events[-1]


EACH_IN_EACH_GAME = len(FORGERIES) * (1 + len(OTHER_GAMES))
"""The first lots forge each thing once in a bundle of each game; the others draw other
places for the same.
"""


@pytest.mark.soak
@pytest.mark.parametrize(
    "lot", [*range(EACH_IN_EACH_GAME), *in_long(range(EACH_IN_EACH_GAME, 200))]
)
def test_of_200_forged_bundles_each_is_named_and_none_is_called_equal(
    module_cup: Path, other_cups: Path, lot: int
) -> None:
    places = (module_cup, *(other_cups / game for game in OTHER_GAMES))
    name = [*FORGERIES][lot % len(FORGERIES)]
    try:
        lines, said = forged_lines(places[lot // len(FORGERIES) % 3] / "cup.khiva", name, lot)
    except LookupError:
        lines, said = forged_lines(module_cup / "cup.khiva", name, lot)
    events = checked(forged(lines))
    assert events[-1]["verdict"] == "differs", name
    assert any(said in problem for problem in events[-1]["problems"]), (name, said, events[-1])
    accused = {
        event_of(event) for event in of_kind(events, "match") if event["verdict"] == "differs"
    }
    assert accused <= {said}, "no other match is accused"


def event_of(match: Event) -> str:
    """A match as problems name it."""
    return f"match {match['event']}/{match['match']}"


class Small(OwnMachine):
    """A machine that has enough stack for so many runs, and no more."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def run(self, *words: Any) -> Any:
        if self.runs >= self._most:
            raise HostFault("RangeError: Maximum call stack size exceeded")
        return super().run(*words)


def counts(events: list[Event]) -> tuple[int, ...]:
    """How many matches of the one event came to what: by the rules, with every bot,
    that differ, that cannot be told.
    """
    (event,) = of_kind(events, "event")
    return tuple(event[key] for key in ("by_the_rules", "rerun", "differ", "cannot_tell"))


def test_a_match_that_cannot_be_told_is_equal_by_the_rules(module_cup: Path) -> None:
    lines = lines_of(module_cup / "cup.khiva")
    assert counts(checked(forged(lines))) == (MATCHES, MATCHES, 0, 0)
    assert counts(checked(forged(lines), Small(3 * 5))) == (MATCHES, 5, 0, MATCHES - 5)
    of_kind(lines, "match")[0]["record"]["scores"][0] += 1
    assert counts(checked(forged(lines), Small(3 * 5))) == (MATCHES - 1, 5, 1, MATCHES - 6)


def test_a_match_whose_bots_differ_is_equal_by_the_rules(module_cup: Path) -> None:
    assert counts(checked(forged(forged_lines(module_cup / "cup.khiva", "tick")[0]))) == (
        MATCHES,
        MATCHES - 1,
        1,
        0,
    )


def test_a_machine_that_cannot_accuses_nobody(module_cup: Path) -> None:
    events = checked((module_cup / "cup.khiva").read_bytes(), Small(0))
    assert {event["verdict"] for event in of_kind(events, "match")} == {"cannot tell here"}
    assert (events[-1]["verdict"], events[-1]["problems"]) == ("cannot tell here", [])
    assert "RangeError" in events[-1]["unknown"][0]


def test_a_bundle_without_modules_cannot_be_told(module_cup: Path) -> None:
    lines = [line for line in lines_of(module_cup / "cup.khiva") if line["kind"] != "module"]
    end = checked(forged(lines))[-1]
    assert end["verdict"] == "cannot tell here"
    assert "--with-modules" in end["unknown"][0]


A_LEAGUE = ROOT / "tests" / "published" / "league-0.3.0" / "bundle"
OWN_GAME = ROOT / "tests" / "published" / "0.2.0" / "bidding-own-game" / "bundle"


def test_of_a_league_its_chain_is_not_checked_for_want_of_its_extension() -> None:
    events = checked(A_LEAGUE.read_bytes())
    assert events[-1] == {"kind": "end", "verdict": "equal", "problems": [], "unknown": []}
    assert [event["what"] for event in of_kind(events, "not_checked")][1:] == [
        not_checked.chain_not_checked()
    ]
    batches = [line for line in lines_of(A_LEAGUE) if line["kind"] not in ("link", "standings")]
    assert not_checked.chain_not_checked() in [
        event["what"] for event in of_kind(checked(forged(batches)), "not_checked")
    ]


def test_of_a_game_of_ones_own_nothing_is_checked_for_want_of_its_extension() -> None:
    events = checked(OWN_GAME.read_bytes())
    assert events[-1]["verdict"] == "cannot tell here"
    assert not_checked.game_not_checked(1, "bidding") in [
        event["what"] for event in of_kind(events, "not_checked")
    ]


@pytest.mark.parametrize(
    ("words", "extension", "command"),
    [
        (not_checked.chain_not_checked(), "league", "`khiva-arena verify FILE`"),
        (
            not_checked.game_not_checked(3, "bidding"),
            "own_games",
            "`khiva-arena verify FILE --game GAME`",
        ),
    ],
)
def test_what_is_not_checked_names_an_extension_that_the_page_lacks_and_a_command(
    words: str, extension: str, command: str
) -> None:
    assert extension in hooks.OWNERS
    assert f"extension {extension}," in words
    assert command in words
    assert extension not in not_checked.EXTENSIONS
    assert f"extension {' '.join(not_checked.EXTENSIONS)}," in not_checked.carries()


def test_a_hostile_name_of_a_game_is_shown_harmless() -> None:
    assert "\u202e" not in not_checked.game_not_checked(1, "\u202ebidding")


PUBLISHED = sorted((ROOT / "tests" / "published").glob("*/*/bundle"))


@pytest.mark.parametrize(
    "path",
    soak_but_every(PUBLISHED, 8),
    ids=lambda path: f"{path.parent.parent.name}-{path.parent.name}",
)
def test_a_bundle_of_each_published_version_is_equal_by_the_rules_or_not_judged(path: Path) -> None:
    events = checked(path.read_bytes())
    form = path.parent.name.rpartition("-")[2]
    judged = form not in ("sprt", "game")  # a sequential test, and a game of somebody's own
    assert events[-1]["verdict"] == ("equal" if judged else "cannot tell here"), events[-1]
    assert events[-1]["problems"] == []
    if judged:
        assert any(
            in_page.BY_THE_WALL.format(1) == event["what"]
            for event in of_kind(events, "not_checked")
        )


def test_places_that_are_forged_are_named() -> None:
    lines = lines_of(ROOT / "tests" / "published" / "0.2.0" / "khiva-swiss" / "bundle")
    of_kind(lines, "standings")[0]["table"]["places"][0]["rows"][0]["place"] = 2
    end = checked(forged(lines))[-1]
    assert end["verdict"] == "differs"
    assert "places.0.rows.0.place" in end["problems"][0]


def test_a_file_that_is_no_bundle_is_told_so() -> None:
    for data in (b"", b"<html>", b"\x1f\x8b" + bytes(100)):
        assert checked(data)[-1] == {
            "kind": "end",
            "verdict": "cannot be read",
            "problems": [],
            "unknown": [in_page.NO_BUNDLE],
        }


@pytest.mark.parametrize("lot", range(12))
def test_a_bundle_that_is_cut_or_damaged_cannot_be_read(module_cup: Path, lot: int) -> None:
    whole = bytearray((module_cup / "cup.khiva").read_bytes())
    at = random.Random(lot).randrange(2, len(whole))
    end = checked(bytes(whole[:at]))[-1]
    assert (end["verdict"], end["problems"]) == ("cannot be read", [])
    whole[at] ^= 1 << lot % 8
    assert checked(bytes(whole))[-1]["verdict"] == "cannot be read", at


def test_a_bundle_that_is_forged_and_cut_differs(module_cup: Path) -> None:
    lines, said = forged_lines(module_cup / "cup.khiva", "module")
    end = checked(
        zlib.compress(b"".join(canonical(line) + b"\n" for line in lines[:-1]), wbits=31)
    )[-1]
    assert end["verdict"] == "differs"
    assert any(said in problem for problem in end["problems"])


def test_a_bundle_of_another_format_cannot_be_told(module_cup: Path) -> None:
    lines = lines_of(module_cup / "cup.khiva")
    lines[0]["format"] = 9
    end = checked(forged(lines))[-1]
    assert (end["verdict"], end["problems"]) == ("cannot tell here", [])
    assert "format 9" in end["unknown"][0]


def test_a_sequential_test_is_not_judged(module_cup: Path) -> None:
    lines = lines_of(module_cup / "cup.khiva")
    of_kind(lines, "event")[0]["definition"]["format"] = "sprt"
    assert checked(forged(lines))[-1]["verdict"] == "cannot tell here"
