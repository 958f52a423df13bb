"""Checkpoints as bots: known by what they hold, loaded where they play, and shown by
step.
"""

import random
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from called_bots import load
from made_results import listed
from wording import pattern

import khiva_arena
from khiva_arena.errors import BotError, ConfigError
from khiva_arena.interface.api.functions import folder_of
from khiva_arena.interface.api.learning import LearningCurve
from khiva_arena.rating.report.columns import Standing
from khiva_arena.rating.report.standings import Entrant, standings

pytestmark = pytest.mark.slow


def made(path: Path, wanted: int) -> Path:
    (path / "weights").mkdir(parents=True)
    (path / "weights" / "w.txt").write_text(str(wanted))
    return path


def test_a_file_and_a_folder_play(tmp_path: Path) -> None:
    (tmp_path / "step-20.txt").write_text("3")
    bots = (
        khiva_arena.Checkpoint(load, tmp_path / "step-20.txt"),
        khiva_arena.Checkpoint(load, made(tmp_path / "run7-step-400", 5)),
    )
    assert [(bot.name, bot.step) for bot in bots] == [("step-20", 20), ("run7-step-400", 400)]
    match = khiva_arena.match(*bots, seed="a", start="30s", turn="10s")
    assert match.bots == ("step-20", "run7-step-400")
    assert match.verdicts == ("ok", "ok")
    assert match.record.header.isolation == "trusted"
    for step in match.replay():
        for seat, choice in step.choices.items():
            assert choice == min((3, 5)[seat], len(step.asked[seat].legal) - 1)


def test_one_is_an_opponent_of_a_sequential_test(tmp_path: Path) -> None:
    (tmp_path / "step-20.txt").write_text("3")
    checkpoint = khiva_arena.Checkpoint(load, tmp_path / "step-20.txt")
    settings = {"elo1": 400, "seeds": 40, "start": "30s", "out": tmp_path / "test"}
    with khiva_arena.sprt("shipped:python/random", checkpoint, **settings) as test:
        assert sorted(next(iter(test)).bots) == ["random", "step-20"]


def test_it_is_known_by_its_loader_and_its_files(tmp_path: Path) -> None:
    checkpoint = khiva_arena.Checkpoint(load, made(tmp_path / "a" / "step-1", 5))
    same = khiva_arena.Checkpoint(load, made(tmp_path / "b" / "step-1", 5))
    assert folder_of(checkpoint) == folder_of(same)
    other = khiva_arena.Checkpoint(load, made(tmp_path / "c" / "step-1", 6))
    loaded = khiva_arena.Checkpoint(lambda path: load(path), same.path)
    renamed = khiva_arena.Checkpoint(load, made(tmp_path / "d" / "step-1", 5))
    (renamed.path / "weights" / "w.txt").rename(renamed.path / "weights" / "v.txt")
    assert len({folder_of(one) for one in (checkpoint, other, loaded, renamed)}) == 4
    assert folder_of(lambda decide, match: 0) != folder_of(checkpoint)


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(BotError, match=r"step-1: the checkpoint cannot be read: .*No such file"):
        folder_of(khiva_arena.Checkpoint(load, tmp_path / "step-1.pt"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(BotError, match="empty: there is no file in the checkpoint"):
        folder_of(khiva_arena.Checkpoint(load, tmp_path / "empty"))


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ((load, "w", "a"), pattern("api", "not-whole-number", name="step", value="'a'")),
        ((load, 3), pattern("api", "not-path", name="path", value="3")),
        ((None, "w"), r"load: None is not a function load\(path\)"),
        ((load, "w", 1, 2), pattern("api", "not-text", name="name", value="2")),
    ],
)
def test_values_of_another_type_are_refused(given: tuple[Any, ...], why: str) -> None:
    with pytest.raises(ConfigError, match=f"^{why}$"):
        khiva_arena.Checkpoint(*given)


def test_a_loader_without_a_function_is_refused_at_the_start(tmp_path: Path) -> None:
    def load(path: Path) -> None:
        """Forgets to return what it has loaded."""

    (tmp_path / "step-1.txt").write_text("3")
    checkpoint = khiva_arena.Checkpoint(load, tmp_path / "step-1.txt")  # type: ignore[arg-type]
    with pytest.raises(
        BotError,
        match=r"load\(path\) must return a function choose\(decide, match\), but returned"
        + " None",
    ):
        khiva_arena.match(checkpoint, "shipped:python/random", seed="a", start="30s", turn="10s")


@pytest.mark.soak
def test_a_table_by_step(played: Path) -> None:
    table = khiva_arena.standings(played / "out")[0]
    where = Path("nowhere")
    checkpoints = [
        khiva_arena.Checkpoint(load, where, step, name)
        for step, name in ((400, "greedy"), (20, "naive"))
    ]
    curve = table.by_step(checkpoints)
    assert [(step, row.name) for step, row in curve] == [(20, "naive"), (400, "greedy")]
    assert [row.name for row in curve.ladder] == ["random"]
    naive: Standing = table["naive"]
    assert curve.to_dict()[0] == {
        "step": 20,
        **{
            name: getattr(naive, name)
            for name in ("name", "elo", "error", "low", "high", "bound", "matches", "seeds")
        },
    }
    lines = str(curve).splitlines()
    assert lines[0] == table.title
    assert [line.split()[0].rstrip(":") for line in lines[1:]] == [
        "step",
        "20",
        "400",
        "random",
        "Trend",
    ]
    with pytest.raises(ConfigError, match="there is no checkpoint of step 30"):
        curve.contrast(30, 20)
    assert "<td>naive" in curve._repr_html_()
    chart = curve.plot().to_dict()
    drawn = [layer.get("data", chart.get("data"))["values"] for layer in chart["layer"]]
    assert [{"bot": "random", "elo": table["random"].elo}] in drawn
    assert curve.to_dict() in drawn
    with pytest.raises(ConfigError, match="the table has no bot 'nobody'"):
        table.by_step([khiva_arena.Checkpoint(load, where, 1, "nobody")])
    with pytest.raises(
        ConfigError,
        match=r"greedy: the checkpoint has no step; give one, Checkpoint\(\.\.\., step=\.\.\.\)",
    ):
        table.by_step([khiva_arena.Checkpoint(load, where, name="greedy")])


def test_a_curve_has_a_trend_and_contrasts() -> None:
    rng = random.Random(1)
    results = []
    for seed in range(20):
        for k, (one, other) in enumerate(combinations(range(8), 2)):
            for r in (0, 1):
                first = rng.random() < 0.5 + 0.05 * (one - other) * (1 - 2 * r)
                results.append(
                    listed(
                        "e",
                        f"{seed}/{k}",
                        r,
                        f"s{seed}",
                        (one, other)[:: 1 - 2 * r],
                        (1, 2) if first else (2, 1),
                    )
                )
    table = standings(results, [Entrant(f"id-{k}", f"b{k}") for k in range(8)])
    checkpoints = [khiva_arena.Checkpoint(load, Path("nowhere"), 10 * k, f"b{k}") for k in range(7)]
    curve = LearningCurve(table, "a table", checkpoints)
    rise, late = curve.trend(), curve.trend(since=30)
    assert rise is not None
    assert late is not None
    assert (rise.first, rise.last, late.first) == (0, 60, 30)
    elos = [row.elo for _, row in curve]
    assert rise.elo == pytest.approx(
        6 * sum((k - 3) * elo for k, elo in enumerate(elos) if elo is not None) / 28, abs=0.01
    )
    assert rise.low < rise.elo < rise.high
    assert rise.low > 0
    assert str(curve).splitlines()[-2:] == [f"Trend {rise}", f"Trend {late}"]
    assert str(rise).startswith(f"from step 0 to 60: {rise.elo:+.0f} Elo (95 %: ")
    apart = curve.contrast(60, 0)
    assert (apart.bot, apart.less) == ("id-6", "id-0")
    assert elos[6] is not None
    assert elos[0] is not None
    assert apart.elo == pytest.approx(elos[6] - elos[0], abs=0.01)
    assert curve.trend(since=60) is None
