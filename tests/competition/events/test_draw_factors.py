"""A table whose pairings followed results is judged by replays of its own draw: equal
results give equal numbers.
"""

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from event_rows import DEFINITION
from msgspec import structs
from swiss_simulated import Luck, Stage, competition, simulate
from wording import sentence

from khiva_arena.common.result import Result
from khiva_arena.competition.events import draw_factors, redraw_cache, redraws
from khiva_arena.competition.events.pools import standings_of
from khiva_arena.competition.events.redraws import EventToReplay, factors
from khiva_arena.competition.events.selection import EVERYBODY, Among
from khiva_arena.display.terminal.console import say
from khiva_arena.rating.ratings.swiss_factors import by_shape
from khiva_arena.rating.report.rating_table import to_json
from khiva_arena.rating.report.standings import Standings
from khiva_arena.rating.report.table_notes import notes
from khiva_arena.rating.schedule.formats import FORMATS, Terms, shapes
from khiva_arena.records.replay.record import canonical
from khiva_arena.records.store.db import BotRow, EventRow

BOTS, SEEDS = 8, 3


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of the test's own, and few replays, which are enough for all but
    the numbers themselves.
    """
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(draw_factors, "REPLAYS", 40)
    draw_factors.between_equals.cache_clear()
    return tmp_path / "cache" / "replays"


def row(number: int, names: Sequence[str], form: str = "swiss", **changes: object) -> EventRow:
    """An event that these bots play, in this order."""
    defined = [{"identity": f"id-{name}", "name": name} for name in names]
    settings = {
        **DEFINITION,
        "bots": defined,
        "format": form,
        "seats": 2,
        "seeds": SEEDS,
        "anchor": names[0],
        "stage": 0,
        **changes,
    }
    text = canonical(
        {key: value for key, value in settings.items() if (key, value) != ("stage", 0)}
    ).decode()
    rows = tuple(BotRow(name, f"id-{name}", "1", True, name, "/") for name in names)
    return EventRow(f"{number:016x}", number, text, ("0.2.0",), "", "", bytes(32), rows)


def names(bots: int) -> list[str]:
    return [f"b{number:02}" for number in range(bots)]


def played(
    form: str = "swiss",
    bots: int = BOTS,
    seats: int = 2,
    seeds: int = SEEDS,
    spread: float = 0,
    rounds: int | None = None,
    seed: int = 1,
) -> list[Result]:
    """The results of an event, by position of its bots."""
    terms = Terms(form, bots, seats, seeds, key=b"")
    rng = np.random.default_rng([seed, bots])
    return of_event(
        competition(rng, terms, np.linspace(0, spread, bots), Luck(), rounds=rounds)[1], 1
    )


def of_event(results: Sequence[Result], number: int) -> list[Result]:
    name = f"{number:016x}"
    return [structs.replace(one, event=name, block=f"{name}/{one.seed}") for one in results]


def table(results: Sequence[Result], *rows: EventRow, among: Among = EVERYBODY) -> Standings:
    return standings_of(rows or (row(1, names(BOTS)),), list(results), (), among, say)


def test_a_swiss_is_widened_by_replays_and_the_footnote_says_so(cache: Path) -> None:
    """Many bots at few seeds, where equal bots need most."""
    twelve = table(played(bots=12), row(1, names(12)))
    widening = twelve.ratings.widening
    assert widening.kind == "replayed"
    assert (
        2.3 < widening.pair < 3.2
    )  # 12 equal bots of 5 rounds need 2.66, Student's t at 12 to 15 seeds 2.2
    assert 3.8 < widening.ranks < 6.5
    assert twelve.widened > 1.1
    (said,) = [note for note in notes(twelve) if "Pairings" in note]
    assert (
        said
        == sentence("report", "pairings-followed-results-errors-2", factor=f"{twelve.widened:.2f}")
        + ", "
        + sentence("report", "wider-by-replays")
        + "."
    )
    assert to_json(twelve)["widening"]["kind"] == "replayed"
    assert len(list(cache.iterdir())) == 1


def test_equal_results_give_equal_numbers_whoever_asks() -> None:
    """Another order of the results, other names of the bots, another number of the
    event, nothing kept.
    """
    results = played()
    widening = table(results).ratings.widening
    for path in (Path(os.environ["KHIVA_ARENA_CACHE"]) / "replays").iterdir():
        path.unlink()
    draw_factors.between_equals.cache_clear()
    mine = row(1, names(BOTS))
    called = tuple(structs.replace(bot, name=f"call me {bot.name}") for bot in mine.bots)
    renamed = structs.replace(mine, number=7, bots=called)
    again = standings_of((renamed,), reversed(results), ("call me b03",))
    assert again.ratings.widening == widening


def test_what_takes_long_is_said_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(draw_factors, "seconds_of", lambda events: 4.2)
    table(played())
    assert (
        capsys.readouterr().err
        == "pairings followed results: replaying the draw shows how wide errors are, in about "
        "8 s, once" + "\n"
    )
    table(played())
    assert not capsys.readouterr().err


def test_what_was_kept_is_not_worked_out_again(monkeypatch: pytest.MonkeyPatch) -> None:
    results = played()
    widening = table(results).ratings.widening
    monkeypatch.setattr(draw_factors, "replay_factors", None)
    assert table(results).ratings.widening == widening
    with pytest.raises(TypeError):
        table(played(seed=2))  # other results, other numbers


def test_where_nothing_can_be_kept_it_is_worked_out_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = played()
    widening = table(results).ratings.widening
    (tmp_path / "a file").write_text("")
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(tmp_path / "a file"))
    assert table(results).ratings.widening == widening


def _forged(file: Path, key: str) -> None:
    file.write_bytes(redraw_cache.msgspec.json.encode(redraw_cache.KeptFactors(key, 0.5, 0.5)))
    file.chmod(0o600)


@pytest.mark.soak
@pytest.mark.parametrize(
    "how", ["writable", "link", "key", "broken", "negative", "endless", "folder"]
)
def test_a_file_that_is_not_surely_ours_is_not_believed(
    how: str, cache: Path, tmp_path: Path
) -> None:
    results = played()
    widening = table(results).ratings.widening
    (file,) = cache.iterdir()
    key = file.stem
    _forged(file, key)
    assert (
        table(results).ratings.widening.pair == 0.5
    )  # the user's own file, which nobody else can write, is believed
    if how == "writable":
        file.chmod(0o666)
    elif how == "link":
        file.rename(tmp_path / "elsewhere")
        file.symlink_to(tmp_path / "elsewhere")
    elif how == "key":
        _forged(file, "0" * 64)
    elif how == "broken":
        file.write_bytes(b'{"key": "')
    elif how == "negative":
        file.write_text(file.read_text().replace("0.5", "-1.0"))
    elif how == "endless":
        file.write_text("[" * 100_000)
    else:
        file.unlink()
        file.mkdir()
    assert table(results).ratings.widening == widening


@pytest.mark.skipif(os.geteuid() != 0, reason="a file is given to another user")
def test_a_file_of_another_user_is_not_believed(cache: Path) -> None:
    results = played()
    widening = table(results).ratings.widening
    (file,) = cache.iterdir()
    _forged(file, file.stem)
    os.chown(file, 12345, 12345)
    assert table(results).ratings.widening == widening


def test_while_an_event_runs_its_whole_rounds_are_replayed() -> None:
    results = played()
    every = shapes(Terms("swiss", BOTS, 2, SEEDS, key=b""))
    until = [shape.first_ordinal + shape.matches for shape in every]
    two = table(results[: until[1]]).ratings.widening
    assert two.kind == "replayed"
    assert table(results[: until[1] + 7]).ratings.widening == two
    assert table(results[: until[2] - 1]).ratings.widening == two
    assert table(results[: until[2]]).ratings.widening != two
    assert not table(results[: until[0] + 7]).ratings.widening  # no draw has followed a result
    assert not table([]).ratings.widening


def test_a_round_that_misses_a_match_is_not_whole() -> None:
    results = played()
    shape = shapes(Terms("swiss", BOTS, 2, SEEDS, key=b""))[1]
    void = structs.replace(
        results[shape.first_ordinal], ranks=(), scores=(), verdicts=(), set_aside=True
    )
    assert not table(
        [void if one.ordinal == void.ordinal else one for one in results]
    ).ratings.widening


@pytest.mark.parametrize("form", ["round-robin", "knockout", "gauntlet"])
def test_other_formats_stay_plain(form: str, cache: Path) -> None:
    results = played(form)
    assert not table(results, row(1, names(BOTS), form)).ratings.widening
    assert not cache.exists()


def _stages(first: str, second: Stage, **changes: object) -> tuple[list[Result], list[EventRow]]:
    """A competition of two stages, as two events of one table."""
    terms = Terms(first, BOTS, 2, SEEDS, key=b"")
    events, results = competition(
        np.random.default_rng(3), terms, np.linspace(0, 100, BOTS), Luck(), (second,)
    )
    came = events[1].bots
    how = {
        "stage": 2,
        "after": f"{1:016x}",
        "seats": second.seats,
        "seeds": second.seeds,
        **changes,
    }
    rows = [
        row(1, names(BOTS), first, stage=1),
        row(2, [names(BOTS)[bot] for bot in came], second.format, **how),
    ]
    position = {bot: at for at, bot in enumerate(came)}
    before = of_event([one for one in results if one.event == "0"], 1)
    last = of_event([one for one in results if one.event == "1"], 2)
    return [
        *before,
        *(structs.replace(one, bots=tuple(position[bot] for bot in one.bots)) for one in last),
    ], rows


@pytest.mark.parametrize("form", ["round-robin", "knockout"])
def test_the_best_of_one_stage_in_the_next_are_no_reason_to_widen(form: str) -> None:
    results, rows = _stages("round-robin", Stage(form, 4, 2, SEEDS))
    assert not table(results, *rows).ratings.widening


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("swiss", "round-robin"),
        ("round-robin", "swiss"),
        ("swiss", "knockout"),
        ("knockout", "swiss"),
    ],
)
def test_stages_are_replayed_one_after_the_other(
    first: str, second: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bots of the second are the best of each replay, not those that came."""
    results, rows = _stages(first, Stage(second, 4, 2, SEEDS))
    seen: list[EventToReplay] = []
    real = draw_factors.replay_factors
    monkeypatch.setattr(
        draw_factors,
        "replay_factors",
        lambda events, *rest, **more: seen.extend(events) or real(events, *rest, **more),
    )
    widening = table(results, *reversed(rows)).ratings.widening
    assert widening.kind == "replayed"
    assert [one.after for one in seen] == [None, 0]
    for fields in (_fields_of(seen, replay) for replay in range(4)):
        assert len(fields[1]) == 4
    assert len({tuple(_fields_of(seen, replay)[1]) for replay in range(8)}) > 1


def _fields_of(events: Sequence[EventToReplay], number: int) -> list[list[int]]:
    """By event the bots that sit at its tables in a replay."""
    rounds = redraws.play_replays(
        events, [0] * BOTS, [True] * BOTS, bytes(32), range(number, number + 1)
    )
    ends = np.cumsum([one.rounds + len(one.played) for one in events])
    return [
        sorted(
            {
                int(bot)
                for one in rounds[end - event.rounds - len(event.played) : end]
                for bot in one.tables.ravel()
            }
        )
        for event, end in zip(events, ends, strict=True)
    ]


def test_a_stage_whose_first_one_is_not_in_the_table_keeps_its_bots() -> None:
    results, rows = _stages("round-robin", Stage("swiss", 6, 2, SEEDS))
    alone = [one for one in results if one.event == rows[1].id]
    assert table(alone, rows[1]).ratings.widening.kind == "replayed"


def test_bots_that_do_not_count_are_played_but_not_rated(monkeypatch: pytest.MonkeyPatch) -> None:
    results = played()
    seen: list[Sequence[bool]] = []
    real = draw_factors.replay_factors
    monkeypatch.setattr(
        draw_factors,
        "replay_factors",
        lambda events, ratings, rated, *rest, **more: (
            seen.append(rated) or real(events, ratings, rated, *rest, **more)
        ),
    )
    some = table(results, row(1, names(BOTS)), among=Among(exclude=("b00", "b01")))
    assert seen == [(False, False, *[True] * (BOTS - 2))]
    assert some.ratings.widening not in (table(results).ratings.widening, draw_factors.PLAIN)


def test_the_whole_draw_is_replayed_with_byes_and_authors_apart() -> None:
    """9 bots at 2 tables of 4 seats, of which two have one author: what the landed draw
    promises holds in each replay.
    """
    authors = (0, 1, 2, 0, 4, 5, 6, 7, 8)
    terms = Terms("swiss", 9, 4, 1, rounds=4, authors=authors, key=b"")
    rounds = redraws.play_replays(
        [EventToReplay(terms, tuple(range(9)), 4)], [0] * 9, [True] * 9, bytes(32), range(20)
    )
    assert len(rounds) == 4
    for replay in range(20):
        byes = np.zeros(9, dtype=int)
        for one in rounds:
            tables = one.tables[replay]
            assert not any({0, 3} <= set(line_up) for line_up in tables.tolist())
            byes += [bot not in tables for bot in range(9)]
        assert byes.sum() == 4
        assert byes.max() == 1
    starts = {tuple(sorted(map(tuple, rounds[0].tables[replay].tolist()))) for replay in range(20)}
    assert len(starts) > 10  # lots are fresh


def test_a_seeded_field_is_folded_in_each_replay() -> None:
    terms = Terms("swiss", 9, 3, 1, rounds=2, seeded=True, key=b"")
    first = redraws.play_replays(
        [EventToReplay(terms, tuple(range(9)), 2)], [0] * 9, [True] * 9, bytes(32), range(3)
    )[0]
    for tables in first.tables.tolist():
        assert sorted(tables) == [[0, 5, 6], [1, 4, 7], [2, 3, 8]]


def test_every_format_in_rounds_can_be_replayed() -> None:
    in_rounds = {name for name, form in FORMATS.items() if form.IN_ROUNDS}
    assert in_rounds == set(redraws._DRAWS) == set(redraws._PLACES)


def test_factors_of_equals_are_those_that_were_measured_elsewhere() -> None:
    """By another program, with its own draw: 12 bots 2.66 and 4.35, 8 bots 2.43 and
    3.76, at three seats 2.1 and 3.7.
    """
    for bots, seats, pair, ranks in ((12, 2, 2.66, 4.35), (8, 2, 2.43, 3.76), (8, 3, 2.1, 3.7)):
        terms = Terms("swiss", bots, seats, 5, key=b"")
        event = EventToReplay(terms, tuple(range(bots)), len(shapes(terms)))
        found = factors([event], [0] * bots, [True] * bots, bytes(32), 200)
        assert found.pair == pytest.approx(pair, rel=0.06)
        assert found.ranks == pytest.approx(ranks, rel=0.12)


def test_very_many_seeds_are_replayed_with_fewer() -> None:
    terms = Terms("swiss", BOTS, 2, 1000, key=b"")
    events, spread = draw_factors._with_fewer_seeds([EventToReplay(terms, tuple(range(BOTS)), 4)])
    assert events[0].terms.seeds == draw_factors.MOST_SEEDS
    assert spread == pytest.approx(20**0.5)
    assert redraws.seconds_of(events) < draw_factors.MOST_SECONDS


def test_a_large_field_is_judged_by_its_shape(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    monkeypatch.setattr(draw_factors, "replay_factors", None)
    large = table(played(bots=80, seeds=2, rounds=3), row(1, names(80), seeds=2))
    widening = large.ratings.widening
    known = by_shape(80, 2, 3, 2)
    assert (widening.kind, widening.pair, widening.ranks) == ("shape", known.pair, known.ranks)
    assert any(
        "as equal bots need at as many bots, seats, rounds and seeds" in note
        for note in notes(large)
    )
    assert not cache.exists()


@pytest.mark.soak
@pytest.mark.parametrize(
    ("bots", "spread"), [(12, 0), pytest.param(16, 174, marks=pytest.mark.long)]
)
def test_widened_intervals_of_a_swiss_hold_where_plain_ones_do_not(
    bots: int, spread: float
) -> None:
    """Few tournaments and few replays; ``python -m tests.tools coverage-swiss`` is the
    long form.
    """
    terms = Terms("swiss", bots, 2, 5, key=b"")
    plain, wide = simulate(terms, np.linspace(0, spread, bots), 40, replays=40)
    assert plain.cover < 91.5
    assert 92.5 < wide.cover < 98.5
    assert wide.cover - plain.cover > 4
    assert wide.ranks <= 10
    if not spread:
        assert plain.ranks >= 10
    assert 1.1 < wide.width / plain.width < 1.6


@pytest.mark.soak
def test_intervals_of_a_knockout_and_of_the_best_of_a_stage_hold_as_they_are() -> None:
    knockout, _ = simulate(Terms("knockout", 16, 2, 20, key=b""), [0] * 16, 40)
    assert knockout.cover > 93
    assert knockout.ranks <= 10
    stages, _ = simulate(
        Terms("round-robin", 10, 2, 10, key=b""),
        [0] * 10,
        40,
        stages=(Stage("round-robin", 4, 2, 10),),
    )
    assert 92 < stages.cover < 98.5
    assert stages.ranks <= 15
