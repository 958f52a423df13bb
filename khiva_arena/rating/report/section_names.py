"""The names of the sections of a table of standings, with the meaning of each. It imports nothing, so that ``-h`` is quick."""

POINTS = "points"
SAYS = {
    "crosstable": (
        "pair scores in percent with 95 % intervals over seeds, `*` if `ranks` tell the two apart, all pairs at once; `-` if "
        "the two never met"
    ),
    "los": (
        "how likely each bot is stronger than each other; of two that never met (`-` in the crosstable) by what others made of "
        "both"
    ),
    "surprise": (
        "score minus what the ratings expect, in standard errors; luck alone puts about one pair in twenty beyond 2, one in "
        "thirteen at 10 seeds, and a number near that says nothing; a pattern of large ones is rock, paper, scissors"
    ),
    "seats": (
        "scores by seat, and of those who sit after each bot. All rotations are played, so no seat favours a bot; who passes "
        "to whom is balanced over the seeds only"
    ),
    "cycles": (
        "how much of the differences between bots no single number for each bot can express, and how much of that luck alone "
        "would make (F11)"
    ),
    "connectivity": "groups between which points do not flow both ways; between groups Elo does not compare",
    "covariance": "of the Elo numbers; for the error of anything made from them",
    "effects": "the ratings fitted once more, together with what seats and neighbours do (F1); `--effects seats` fits only those",
    "history": (
        "after each event in order of creation: Elo from all events so far, and from that one alone; `>=`, `<=`, `?` as in "
        "the table"
    ),
    POINTS: (
        "points a match by source, each with its 95 % error over seeds, from some 200 rated matches at most: without a forfeit, "
        "of deals that are over, spread over seeds and line-ups; a sentence says by which source the first bot is ahead, if one "
        "explains it"
    ),
}
"""The meaning of each section, for docs/standings.md and the page."""
NAMES = ("details", *SAYS)
EFFECTS = ("seats", "neighbours")
ALL = "all"
"""The word that asks for every section."""
