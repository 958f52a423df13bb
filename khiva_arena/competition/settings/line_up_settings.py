"""Tell which formats have a setting of line-ups, and why a value goes with none."""

from khiva_arena.competition.settings.table import AUTO, DEFAULTS

OF_LINE_UPS = ("lineups", "copies")
"""The settings that make line-ups more or fewer, where they are all known from the
start.
"""


# The formats are imported only when they are needed: one match has none.


def line_ups_mistake(key: str, value: object, form: str, *, test: bool = False) -> str:
    """Return why a setting of ``OF_LINE_UPS`` does not go with a format, "" if it
    does. ``test``: whether it is a sequential test.
    """
    if value == DEFAULTS[key]:
        return ""
    from khiva_arena.rating.schedule.formats import FORMATS

    if FORMATS[form].IN_ROUNDS:
        return f"a {form} draws the line-ups of each round from its results; leave this out"
    if value == AUTO and (test or not FORMATS[form].AUTO):
        takers = [
            str(name) for name, module in FORMATS.items() if module.AUTO and not module.SEQUENTIAL
        ]
        return f"{AUTO} is for a {' or a '.join(takers)}; give a number"
    return ""


def only_for(key: str) -> list[str]:
    """Return the formats of a competition that have a setting of ``OF_SOME``."""
    from khiva_arena.rating.schedule.formats import FORMATS, TAKERS

    return [str(name) for name in TAKERS[key] if not FORMATS[name].SEQUENTIAL]
