"""``play --from``: a person takes a seat of a stored match over."""

from pathlib import Path

import pytest
from arena import arena
from stores import games as games
from stores import ticks as ticks
from terminal import Terminal, answered
from wording import sentence

from khiva_arena.competition.events.find import match_of
from khiva_arena.records.store.db import Store

pytestmark = pytest.mark.slow


def test_bots_without_their_flag_are_named_by_it(tmp_path: Path) -> None:
    said = arena("play", "greedy", cwd=tmp_path, code=2).stderr
    assert "`khiva-arena play --bot shipped:python/greedy --bot shipped:python/random`" in said


def test_a_place_without_a_seat_is_refused_in_one_line(games: Path) -> None:
    done = arena("play", "--from", "out", "1/0", "--step", "1", cwd=games, code=2)
    assert (
        "--from STORE MATCH, --step N and --seat S go together: they say where you take a seat over"
        in done.stderr
    )
    assert (done.stdout, done.stderr.count("\n")) == ("", 1)


def test_nothing_is_tried_out_on_a_deal_that_is_not_over(
    games: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Store, "reveals", lambda _store, _event: {})
    done = arena("play", "--from", "out", "1/0", "--step", "1", "--seat", "0", cwd=games, code=2)
    assert (done.stdout, done.stderr) == (
        "",
        f"khiva-arena: error: {sentence('match', 'deal-not-over', name='1/0')}\n",
    )


@pytest.mark.language
def test_a_seat_of_a_match_in_ticks_stays_in_ticks(ticks: Path) -> None:
    with Store.read(ticks / "out") as opened:
        record = match_of(opened, "1/3").row.parsed()
    last, seat = max(
        (step, choice.seat)
        for step, choices in enumerate(record.steps, 1)
        for choice in choices
        if not choice.why
    )
    place = ("--step", str(last), "--seat", str(seat), "--no-hints", "--json")
    run = Terminal(
        ["play", "--terminal", "--from", "out", "1/3", *place],
        ticks,
        rows=50,
        columns=200,
        stdout=True,
    )
    assert answered(run, b"1\n", '"digest"') > 0
    assert '"format":3' in run.shown.text.replace("\n", "")
    assert "wall" not in run.shown.text
