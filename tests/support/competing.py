"""Whole competitions without a match: terms of any format to draw from, and results
made up by a number for each seat.
"""

from collections import Counter
from itertools import combinations, islice
from random import Random

from hypothesis import strategies as st
from made_results import placed

from khiva_arena.rating.schedule.formats import Format, Terms, rounds, schedule
from khiva_arena.rating.schedule.names import ALONE

DRAWN = tuple(form for form in Format if form not in ALONE)
"""The formats that draw their tables from terms; those of a league's batch and of a
match alone stand in its definition.
"""
KEYS = st.binary(min_size=32, max_size=32)


@st.composite
def terms_of(draw, formats=DRAWN, most_seeds=3, authors=False):
    """Terms that ``check_terms`` accepts, small enough to be played in a moment."""
    form = draw(st.sampled_from(formats))
    seats = draw(st.integers(2, 5))
    settings = {}
    if form in (Format.ROUND_ROBIN, Format.GAUNTLET, Format.SPRT):
        bots = seats + draw(st.integers(0, 3))
        settings["copies"] = draw(st.integers(1, 2))
        settings["most"] = draw(st.integers(4, 20))
    else:
        bots = seats + draw(st.integers(0, 10))
        settings["seeded"] = draw(st.booleans())
    if form is Format.GAUNTLET:
        how_many = draw(st.integers(1, 1 + bots - seats))
        settings["candidates"] = tuple(draw(st.permutations(range(bots)))[:how_many])
    if form is Format.SWISS:
        settings["rounds"] = draw(st.none() | st.integers(1, 4))
    if form is Format.KNOCKOUT:
        settings["advance"] = draw(st.none() | st.integers(1, seats - 1))
    if authors:
        settings["copies"] = 1
        settings["authors"] = tuple(
            draw(st.permutations([bot // draw(st.integers(1, 2)) for bot in range(bots)]))
        )
    return Terms(form, bots, seats, draw(st.integers(1, most_seeds)), **settings, key=draw(KEYS))


def results_of(terms, drawn, luck=3.0, seed=0):
    """A round's results: bot 0 is the strongest, ``luck`` blurs that; ties occur."""
    found = []
    for match in schedule(terms, drawn):
        rng = Random(f"{seed} {match.ordinal}")
        scores = tuple(round(terms.bots - bot + rng.gauss(0, luck)) for bot in match.bots)
        ranks = tuple(1 + sum(other > score for other in scores) for score in scores)
        found.append(
            placed(match.k, match.lineup, match.rotation, match.bots, ranks, scores, match.ordinal)
        )
    return found


def play(terms, luck=3.0, seed=0):
    """All rounds and their results."""
    results = []
    every = []
    for drawn in rounds(terms, lambda shape: results[shape.number]):
        every.append(drawn)
        results.append(results_of(terms, drawn, luck, seed))
    return every, results


def first_round(terms):
    return next(islice(rounds(terms, lambda shape: None), 1))


def meetings(every):
    """How often each pair of bots sat down together, over rounds."""
    return Counter(
        pair
        for drawn in every
        for line_up in drawn.line_ups
        for pair in set(combinations(line_up, 2))
        if pair[0] != pair[1]
    )
