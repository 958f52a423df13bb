"""The choices and defaults that a command's help and its work both name. It imports no
other module, so that ``-h`` is quick.
"""

from typing import Literal, get_args

CheckForm = Literal["text", "json", "junit", "markdown"]
CHECK_FORMS: tuple[CheckForm, ...] = get_args(CheckForm)
ExportFormat = Literal["csv", "jsonl", "payoffs", "pgn"]
EXPORT_FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)
SOME, ALL, NONE = "some", "all", "none"
"""The replays that a page has."""
POWER = 0.8
"""The share of cases in which a plan lets a gap show."""
