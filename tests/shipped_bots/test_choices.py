"""The published choices are those of the Python greedy bot, and there are enough of
each kind to hold another bot to them.
"""

import json
import runpy
from collections import Counter
from pathlib import Path
from typing import Any

MAKER = runpy.run_path(str(Path(__file__).with_name("make_choices.py")))
GROUPS: list[dict[str, Any]] = json.loads(MAKER["FILE"].read_text())["groups"]


def test_the_file_is_what_the_bot_chooses() -> None:
    (made,) = MAKER["files"]().values()
    assert MAKER["FILE"].read_text() == made, "run tests/shipped_bots/make_choices.py --write"


def test_the_staged_bot_chooses_them(chooser: Any) -> None:
    choose = chooser("greedy")
    for group in GROUPS:
        for decide in group["decides"]:
            hello = {**group["hello"], "seat": decide["view"]["seat"]}
            assert choose({**decide, "events": []}, hello) == decide["choice"]


def test_they_are_of_every_kind_and_seat_count_and_not_all_alike() -> None:
    decides = [decide for group in GROUPS for decide in group["decides"]]
    assert len(decides) >= 400
    assert {group["hello"]["seats"] for group in GROUPS} == {2, 3, 4, 5}
    assert len({json.dumps(group["hello"]["rules"]) for group in GROUPS}) >= 6
    kinds = Counter(decide["kind"] for decide in decides)
    assert set(kinds) == {"play_pass", "move", "boost", "shop4"}
    assert min(kinds.values()) >= 10
    for kind in kinds:
        assert (
            kind == "move"
            or len({decide["choice"] for decide in decides if decide["kind"] == kind}) > 1
        ), kind
    # Neither the first nor the last entry would do.
    assert sum(decide["choice"] not in (0, len(decide["legal"]) - 1) for decide in decides) > 150
