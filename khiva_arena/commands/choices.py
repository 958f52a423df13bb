"""The choices and defaults that a command's help and its work both name. It imports nothing, so that ``-h`` is quick."""

CHECK_FORMS = ("text", "json", "junit", "markdown")
EXPORT_FORMATS = ("csv", "jsonl", "payoffs", "pgn")
SOME, ALL, NONE = "some", "all", "none"
"""The replays that a page has."""
POWER = 0.8
"""The share of cases in which a plan lets a gap show."""
