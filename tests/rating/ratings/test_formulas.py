"""docs/how-ratings-work.md has each formula that the modules cite, and names the
modules that have it.
"""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "how-ratings-work.md").read_text()
MODULES = sorted((ROOT / "khiva_arena" / "rating" / "ratings").glob("*.py"))


def test_formulas_are_numbered_without_a_gap_and_have_anchors():
    assert re.findall(r"^\(f(\d+)\)=\n## F(\d+) ", PAGE, re.MULTILINE) == [
        (str(n), str(n)) for n in range(1, 17)
    ]
    assert {int(number) for number in re.findall(r"\]\(#f(\d+)\)", PAGE)} <= set(range(1, 17))


def test_each_formula_says_where_it_is():
    for section in PAGE.split("\n## F")[1:]:
        assert re.search(r"^Modules?: |^No module has ", section, re.MULTILINE), section[:40]
    named = set(re.findall(r"`(\w+\.py)`", PAGE))
    assert named <= {path.name for path in MODULES}


def test_what_docstrings_cite_is_there():
    cited = 0
    for path in MODULES:
        for numbers in re.findall(r"how-ratings-work\.md ((?:F\d+(?:, |-)?)+)", path.read_text()):
            cited += 1
            for number in re.findall(r"\d+", numbers):
                assert f"\n## F{number} " in PAGE, path
    assert cited > 10
    assert not any(
        re.search(r"(reference|ratings)/ratings\.md", path.read_text()) for path in MODULES
    )
