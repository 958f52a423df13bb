"""Words that the ``notation.py`` of several games need."""

from collections.abc import Mapping, Sequence

from khiva_arena.games.base import Plain


def standing(end: Mapping[str, Plain], names: Sequence[str]) -> str:
    """The end of a match, from its event: cause, then places, names and scores, best first."""
    rows = sorted(zip(end["ranks"], range(len(names)), names, end["scores"], strict=True))
    return f"The end ({end['cause']}): " + ", ".join(f"{rank}. {name} {score}" for rank, _, name, score in rows)
