"""The strong bot of Khiva, in C: fit to be replayed, legal by any rules, at rest about
what makes no sense, and stronger than the deep searching one.
"""

import json
import random
from pathlib import Path
from typing import Any

import fit_networks
import numpy as np
import pytest
from arena import arena
from asked_khiva import answers, requests_of
from rules_in_c import changed
from tools import need_language

pytestmark = [pytest.mark.slow, pytest.mark.language]

NAME, LABEL, MATCHES, ASKED = "c/strong_khiva", "strong", 8, 6


def test_each_choice_is_legal_and_equal_in_another_process(
    staged: Any, framed: Any, conversation: Any
) -> None:
    bot, others = staged(NAME), 0
    for number in range(MATCHES):
        given, requests = requests_of(LABEL, number, ASKED)
        choices = answers(bot, conversation[0] | given, requests, framed)
        assert answers(bot, conversation[0] | given, requests[1:], framed) == choices[1:], given
        others += sum(choice > 0 for choice in choices)
    assert others > MATCHES * ASKED / 10


def test_a_changed_view_is_played_legally_and_what_is_none_by_default(
    sanitized: Any, framed: Any, conversation: Any
) -> None:
    bot, lots = sanitized(NAME), random.Random("spoilt")
    for number in range(MATCHES):
        given, requests = requests_of(LABEL, number, ASKED)
        wrong = [row | {"view": changed(row["view"], lots)} for row in requests]
        answers(bot, conversation[0] | given, wrong, framed)
        longer = [row | {"legal": [*row["legal"], row["legal"][0]]} for row in requests]
        assert not any(answers(bot, conversation[0] | given, longer, framed))
        assert not any(
            answers(bot, conversation[0] | given, [row | {"view": {}} for row in requests], framed)
        )


@pytest.mark.soak
@pytest.mark.long
@pytest.mark.parametrize(("seats", "deals"), [(2, 24), (3, 24), (4, 12), (5, 12)])
def test_it_finishes_ahead_of_the_best_before_it(
    seats: int, deals: int, tmp_path: Path, staged: Any
) -> None:
    """Over fixed deals in all seatings, so a constant."""
    staged(NAME)
    words = [
        "--format",
        "gauntlet",
        "--copies",
        str(seats - 1),
        "--seats",
        str(seats),
        "--seeds",
        str(deals),
        "--turn",
        "1m",
    ]
    bots = ["--bot", f"shipped:{NAME}", "--bot", "shipped:python/search_deep"]
    arena(
        "run",
        "--trust-bots",
        *words,
        "--seed",
        "ladder",
        *bots,
        "--out",
        "ladder",
        cwd=tmp_path,
        seconds=900,
    )
    (table,) = json.loads(arena("standings", "ladder", "--json", cwd=tmp_path).stdout)["standings"]
    strong = next(row for row in table["rows"] if row["name"] == "strong-khiva")
    assert strong["score"] > 55.0  # percent of the pairs with one of the others; 100 Elo are 64


@pytest.mark.long
def test_the_networks_can_be_fitted_again() -> None:
    """What self-play in C writes has the shape that the fit takes, and a fit learns
    from it who is ahead.
    """
    need_language("c")
    played = fit_networks.play(3, 40, "-O1")
    assert played.shape[1:] == (3, fit_networks.ROWS + 2)
    assert np.isfinite(played).all()
    assert set(np.unique(played[:, :, fit_networks.ROWS])) == {1.0, 2.0, 3.0}
    network = fit_networks.fit(played, np.random.default_rng(1))
    outlooks = fit_networks.outlooks(network, played[:, :, : fit_networks.ROWS])[2]
    ranks = played[:, :, fit_networks.ROWS]
    ahead = [
        (outlooks[:, a] > outlooks[:, b])[ranks[:, a] < ranks[:, b]].mean()
        for a in range(3)
        for b in range(3)
        if a != b
    ]
    assert min(ahead) > 0.6
    assert "ROWS = 56" in fit_networks.header("40", [network] * 4)
