"""The names of the sections of a table of standings, with the meaning of each. It
imports nothing, so that ``-h`` is quick.
"""

POINTS = "points"
SAYS = {
    "crosstable": (
        "pair scores in percent with 95 % intervals over seeds. `*`: `ranks` tell the two apart, "
        "all pairs at once. `-`: the two never met"
    ),
    "los": (
        "how likely each bot is stronger than each other. If two never met (`-` in the "
        "crosstable), the likelihood comes from their results against others"
    ),
    "surprise": (
        "score minus the score that the ratings expect, in standard errors. By luck about one pair "
        "in twenty is beyond 2, at 10 seeds one in thirteen. So as many pairs as that show "
        "nothing. If more are, bots may beat each other in a circle, as in rock, paper, scissors"
    ),
    "seats": (
        "scores by seat, and the scores of the bots that sit after each bot. All rotations are "
        "played, so no seat favours a bot. Neighbours are balanced only over blocks of seeds"
    ),
    "cycles": (
        "the share of the differences between bots that a single number for each bot cannot "
        "express, less the share that luck would make (F11)"
    ),
    "connectivity": (
        "groups between which points do not flow both ways. Elo does not compare bots of two groups"
    ),
    "covariance": "covariances of the Elo numbers, for the error of anything made from them",
    "effects": (
        "the ratings fitted once more, with the effects of seats and neighbours (F1). "
        "`--effects seats` fits only seats"
    ),
    "history": (
        "Elo after each event in order of creation: from all events so far, and from that "
        "event only. `>=`, `<=`, `?` as in "
        "the table"
    ),
    POINTS: (
        "points a match by source, each with its 95 % error over seeds. They come from about 200 "
        "rated matches at most, spread over seeds and line-ups, without a forfeit and of deals "
        "that are over. If one source explains the lead of the first bot, a sentence names it"
    ),
}
"""The meaning of each section, for docs/standings.md and the page."""
NAMES = ("details", *SAYS)
EFFECTS = ("seats", "neighbours")
ALL = "all"
"""The word that asks for every section."""
