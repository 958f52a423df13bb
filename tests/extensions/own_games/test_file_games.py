"""Events of 0.2.0 whose game is a file of OpenSpiel's: what the file held is in no
event, so no match of them can be checked.
"""

import os
from pathlib import Path

import pyspiel
import pytest
from arena import arena
from msgspec import structs
from open_spiel.python import games as _games_in_python  # registers more games with the library
from pages import films
from synthesised import SECRET, planned

from khiva_arena import __version__
from khiva_arena.arbiter.match import Job, Outcome, SeatReport
from khiva_arena.arbiter.wire import Ending
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.common.result import Measured, Verdict
from khiva_arena.competition.playing.jobs import Play
from khiva_arena.extensions.shards.plan_file import event_of
from khiva_arena.games.rules_map import NOT_CHECKED, file_in_rules
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.record import Choice, Record
from khiva_arena.records.store.db import Store

pytestmark = pytest.mark.slow


def outcome(job: Job) -> Outcome:
    header = job.header
    record = Record(
        header, ((Choice(0, 1),),), (Verdict.OK,) * 2, (None,) * 2, (1, 2), (1, -1), "over"
    )
    beside = SeatReport(
        "", "", (), {}, {}, 10.0, Ending(0, False, Measured(0.1), "", 0), Measured(0.1)
    )
    return Outcome(
        job.ordinal,
        job.attempt,
        record,
        "",
        (beside,) * 2,
        seeds.req_start(job.secret, header.match),
        0.1,
    )


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A store with such an event. Whoever opened the file, which is a FIFO, would wait
    for ever.
    """
    os.mkfifo(tmp_path / "g.efg")
    rules = {
        "game": f"efg_game(filename={tmp_path}/g.efg)",
        "scale": 1,
        "shows": "information_state",
        "tensor": "no",
    }
    like = planned(bots=2, seats=2, seeds=2)
    what = structs.replace(
        like.definition, game="openspiel", rules_version="1+open_spiel-2.0.2", rules=rules
    )
    event = event_of(
        what.text, __version__, seeds.commitment(what.digest, SECRET), SECRET, like.bots
    )
    with Store.write(tmp_path / "out") as store:
        store.add_event(
            event.id, event.text, event.engines[0], event.commitment, event.secret, event.bots
        )
        play = Play(store, event, [Command(("none",), "/")] * 2)
        for drawn in play.rounds():
            for job in play.jobs(drawn):
                play.record(outcome(job), last=False)
    return tmp_path


def test_a_stored_one_is_shown_and_not_checked_and_its_file_is_not_opened(place: Path) -> None:
    assert "openspiel with game=efg_game(filename=" in " ".join(
        arena("standings", "out", cwd=place).stdout.split()
    )
    assert arena("show", "out", cwd=place).stdout.count("1/") >= 4
    arena("export", "out", "--format", "csv", cwd=place)
    arena("bundle", "out", "out.bundle", cwd=place)
    for what in ("out", "out.bundle"):
        for more in ([], ["--game", "openspiel"]):
            said = arena("verify", what, *more, cwd=place, code=1).stdout
            assert said.count(NOT_CHECKED) == 4
            assert "0 of 4 matches are sound" in said
    assert (
        NOT_CHECKED in arena("show", "out", "1/0", "--game", "openspiel", cwd=place, code=1).stderr
    )
    arena("report", "out", "--game", "openspiel", "--out", "page.html", cwd=place)
    assert films(place / "page.html") == 0


def test_no_parameter_of_the_library_that_names_a_file_is_overlooked() -> None:
    """By the names that its games give to their parameters; a new version of the
    library may have more.
    """
    assert _games_in_python
    found = {
        f"{game.short_name}({name})"
        for game in pyspiel.registered_games()
        for name in game.parameter_specification
        if file_in_rules("openspiel", {"game": f"{game.short_name}({name}=x)"})
    }
    assert found == {
        "bargaining(instances_file)",
        "colored_trails(boards_file)",
        "crossword(puzzles_root)",
        "crossword(word_list_file)",
        "efg_game(filename)",
        "nfg_game(filename)",
        "python_hangman(word_list_file)",
    }


def test_games_of_others_may_call_their_rules_as_they_like() -> None:
    assert file_in_rules("mine", {"game": "x(filename=y)", "profile": "x"}) == ""
    assert file_in_rules("openspiel", {"game": "goofspiel(players=3)"}) == ""
