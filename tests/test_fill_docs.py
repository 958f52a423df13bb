"""Docstrings and comments, filled: paragraphs are, tables and commands are not."""

import pytest
from fill_docs import filled, unwrapped

CASES = {
    "a line": (
        '"""Say in one line, a wide one, what it is."""\n',
        '"""Say in one line, a wide one, what it\nis.\n"""\n',
    ),
    "a raw one, indented": (
        'def f():\n    r"""Say in one line, a wide one, it."""\n',
        'def f():\n    r"""Say in one line, a wide one,\n    it.\n    """\n',
    ),
    "a comment": (
        "X = 1\n# A comment of more than forty columns a line\n# goes on.\n",
        "X = 1\n# A comment of more than forty columns a\n# line goes on.\n",
    ),
    "items": (
        '"""Two.\n\n- an item of more than forty columns of it\n- another one\n"""\n',
        '"""Two.\n\n- an item of more than forty columns of\n  it\n- another one\n"""\n',
    ),
    "entries": (
        '"""Do it.\n\nseats: how many of them are at a table now\nseed: a word\n"""\n',
        '"""Do it.\n\nseats: how many of them are at a table\n    now\nseed: a word\n"""\n',
    ),
    "a command": ('"""Do.\n\n    a command that is laid out by hand, as it is\n"""\n',) * 2,
    "a table": ('"""Do.\n\nname    what it is in a table of other widths\n"""\n',) * 2,
    "a short paragraph": ('"""Short.\n\nThis is\nnot filled.\n"""\n',) * 2,
    "a word to a tool": ("X = 1\n# noqa: E501 is a word to a tool and stays as it is\n",) * 2,
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_only_long_paragraphs_are_filled(before: str, after: str) -> None:
    assert filled(before, 40) == after
    assert filled(after, 40) == after


def test_no_line_begins_as_an_item_would() -> None:
    text = '"""It is not more than about half of (a) those."""\n'
    for width in range(20, 60):
        lines = filled(text, width).splitlines()
        assert not any(line.startswith("(a)") for line in lines[1:]), width
        assert " ".join(lines).replace(' """', '"""') == text.strip()


def test_an_unwrapped_text_has_a_line_for_each_entry() -> None:
    text = "Do it\n    now.\n\n    seats: how\n        many\n    seed: a word\n    "
    assert unwrapped(text) == "Do it now.\n\nseats: how many\nseed: a word"
