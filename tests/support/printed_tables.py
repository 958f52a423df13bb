"""The tables that ``standings --json`` prints, without what only that command adds for
its readers.
"""

import json
from typing import Any


def bare_tables(printed: str) -> dict[str, Any]:
    """Return the tables as a league, a bundle and a notebook hold them: without the
    sentences and the next commands.
    """
    output: dict[str, Any] = json.loads(printed)
    rows = [
        {key: value for key, value in table.items() if key not in ("sentence", "next")}
        for table in output["standings"]
    ]
    return {"standings": rows}
