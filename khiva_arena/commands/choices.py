"""What the words of a command and its work both name: choices, and defaults that ``-h`` tells. It imports nothing, so that ``-h``
is quick."""

CHECK_FORMS = ("text", "json", "junit", "markdown")
EXPORT_FORMATS = ("csv", "jsonl", "payoffs", "pgn")
SOME, ALL, NONE = "some", "all", "none"
"""Which replays a page has."""
POWER = 0.8
"""In what share of cases a plan lets a gap show."""
