"""One name, one thing: whoever searches for a class finds one."""

import ast
from collections import defaultdict
from pathlib import Path

from make_layout import headings
from parsed import IN_ONE_PROCESS, tree_of

pytestmark = IN_ONE_PROCESS
PACKAGE = Path(__file__).parent.parent / "khiva_arena"


def rooms_by_name() -> dict[str, set[str]]:
    """In which rooms each public class or type alias is defined. A file beside the
    rooms is a room of its own. Aliases in games are words of their rulebooks, for
    schemas alone.
    """
    found: defaultdict[str, set[str]] = defaultdict(set)
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).parts
        room = "/".join(parts[: 1 + (parts[0] in headings())])
        for statement in tree_of(path).body:
            match statement:
                case ast.ClassDef(name=name):
                    is_type = not name.startswith("_")
                case ast.Assign(targets=[ast.Name(id=name)]):
                    is_type = name[0].isupper() and not name.isupper() and room != "games"
                case _:
                    continue
            if is_type:
                found[name].add(room)
    return found


def test_no_two_public_classes_share_a_name_across_rooms() -> None:
    found = rooms_by_name()
    assert {"Result", "Verdict", "Standings", "Store"} <= found.keys()
    assert {name: sorted(rooms) for name, rooms in found.items() if len(rooms) > 1} == {}
