"""Messages on a terminal are broken between words, never within a command or within
what others wrote.
"""

from khiva_arena.display.terminal.console import in_columns

PROSE = (
    "warning: three machines of one kind stand in a hall, where each of them is as warm as the "
    "other two"
)
NEXT = (
    "results are in results/demo; next: khiva-arena verify results/demo, khiva-arena show "
    "results/demo"
)
FOREIGN = (
    "a bot failed\n    Traceback (most recent call last) that is long enough to be broken by a "
    "narrow terminal of sixty columns"
)


def test_words_stay_whole() -> None:
    assert in_columns(PROSE, 80) == [PROSE[:77], "  warm as the other two"]
    assert in_columns(PROSE, 100) == [PROSE]
    digest = "run digest " + "0" * 64
    assert in_columns(digest, 70) == ["run digest", "  " + "0" * 64]


def test_a_command_stays_whole_and_so_do_the_lines_of_others() -> None:
    lines = in_columns(NEXT, 60)
    assert lines == [
        "results are in results/demo; next:",
        "  khiva-arena verify results/demo,",
        "  khiva-arena show results/demo",
    ]
    long = "to play on: khiva-arena run --bot one --bot two --out somewhere; then look"
    assert in_columns(long, 40) == [
        "to play on:",
        "  khiva-arena run --bot one --bot two --out somewhere;",
        "  then look",
    ]
    assert in_columns(FOREIGN, 60) == FOREIGN.split("\n")
