"""A sequential test as text and as JSON: before it begins, undecided, decided, and
where numbers have no end.
"""

import json
from fractions import Fraction

import jsonschema
import pytest
from make_schemas import FOLDER
from simulated import between
from wording import sentence

from khiva_arena.common.exit_codes import UNDECIDED, VerdictWord
from khiva_arena.common.result import Model
from khiva_arena.rating.ratings.sprt import SequentialTest
from khiva_arena.rating.report.sprt import BAR, MOST_BARS, Sprt, to_json, to_text

SCHEMA = json.loads((FOLDER / "output" / "sprt.json").read_text())


def sprt_of(scores: list[Fraction], most: int = 1000, **hypotheses: object) -> Sprt:
    test = SequentialTest(between(0, 50, **hypotheses), 2)
    for score in scores:
        test.add(score)
    return Sprt("e", "new", ("old", "older"), 3, most, 2, test.report(), VerdictWord.OPEN, 0)


def test_before_the_first_seed_all_is_not_available() -> None:
    text = to_text(sprt_of([]))
    assert sentence("report", "no-decision-yet-after", after="0 seeds, 0 matches") in text
    assert "LLR n/a; H0 at -2.94, H1 at 2.94" in text
    assert text.split("Intervals are")[0].count("n/a") == 6
    assert "table scores" not in text
    found = json.loads(json.dumps(to_json(sprt_of([]), UNDECIDED)))
    jsonschema.validate(found, SCHEMA)
    assert (
        found["llr"] is found["score"] is found["elo"] is found["adjusted"] is found["los"] is None
    )
    assert found["histogram"] == []


def test_too_early_to_decide() -> None:
    text = to_text(sprt_of([Fraction(1)] * 10))
    assert sentence("report", "no-decision-yet-after", after="10 seeds, 20 matches") in text
    assert "no decision before 32 seeds" in text


@pytest.mark.parametrize(("score", "word"), [(Fraction(1), "H1"), (Fraction(0), "H0")])
def test_all_or_nothing_has_no_elo_and_says_so(score: Fraction, word: str) -> None:
    sprt = sprt_of([score] * 40)
    text = to_text(sprt)
    said = "better" if word == "H1" else "less than 50 Elo above them"
    assert f"{word} accepted after 32 seeds, 64 matches: new is {said}\n" in text
    assert (">=1000" if word == "H1" else "<=-1000") in text
    assert "inf" not in text
    found = json.loads(json.dumps(to_json(sprt, UNDECIDED), allow_nan=False))
    assert found["elo"]["value"] is None
    assert (found["decision"], found["seeds"], found["matches"]) == (word, 32, 64)
    assert found["score"]["value"] == 100 * score
    jsonschema.validate(found, SCHEMA)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("elo0", "elo1", "passed", "failed"),
    [
        (0, 20, "better", "less than 20 Elo above them"),
        (5, 20.5, "better by more than 5 Elo", "less than 20.5 Elo above them"),
        (
            -10,
            10,
            "not " + sentence("report", "worse-more", elo1="10 Elo"),
            "less than 10 Elo above them",
        ),
        (-10, 0, "not " + sentence("report", "worse-more", elo1="10 Elo"), "worse"),
        (
            -20,
            -5,
            "not " + sentence("report", "worse-more", elo1="20 Elo"),
            sentence("report", "worse-more", elo1="5 Elo"),
        ),
    ],
)
@pytest.mark.parametrize("model", Model)
def test_a_verdict_says_no_more_than_its_hypothesis(
    elo0: float, elo1: float, passed: str, failed: str, model: Model
) -> None:
    for score, said in ((Fraction(3, 4), passed), (Fraction(1, 4), failed)):
        test = SequentialTest(between(elo0, elo1, model=model), 2)
        while not test.decision:
            for one in (score, score - Fraction(1, 4), score + Fraction(1, 4)):
                test.add(one)
        words = said.replace("Elo", "normalised Elo") if model is Model.NORMALIZED else said
        text = to_text(Sprt("e", "new", ("old",), 2, 10_000, 2, test.report(), VerdictWord.OPEN, 0))
        assert (
            f"accepted after {test.blocks} seeds, {2 * test.blocks} matches: new is {words}\n"
            in text
        )


def test_the_last_seed_allowed() -> None:
    assert sentence("report", "no-decision-after-seeds", after="34 seeds, 68 matches") in to_text(
        sprt_of(
            [Fraction(1, 2), Fraction(1), Fraction(0), Fraction(1, 2)] * 8 + [Fraction(1, 2)] * 2,
            most=34,
            alpha=0.01,
        )
    )


def test_head_and_histogram() -> None:
    text = to_text(sprt_of([Fraction(1, 2)] * 30 + [Fraction(1)] * 15, model=Model.NORMALIZED))
    assert text.startswith(
        "sprt: new against old, older, 3 seats; H0: normalised Elo <= 0, H1: normalised Elo >= 50;"
    )
    assert sentence(
        "report", "aims-wrong-decisions-candidate", value="5", value_2="5", elo0="0", elo1="50"
    ) + "\n" in text.replace("\n  ", " ")
    assert all(len(line) <= 100 for line in text.splitlines())
    assert f"  0.500  30  {'#' * BAR}" in text


def test_many_different_scores_are_put_into_classes() -> None:
    sprt = sprt_of([Fraction(i, 40) for i in range(41)])
    bars = to_text(sprt).split("table scores:\n")[1].splitlines()
    assert len(bars) == MOST_BARS
    assert sum(int(bar.split()[1]) for bar in bars) == sprt.report.blocks
    assert bars[0].startswith("  0.00-0.05")
    assert bars[-1].startswith("  0.95-1.00")
