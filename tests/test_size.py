"""The shape of the package: its longest module, its functions with many parameters, and
the width of its lines.

How many lines and modules there are, and how dense its lines are, is no test's matter:
``make check`` prints it.
"""

from count_code import MANY, count
from parsed import IN_ONE_PROCESS

pytestmark = IN_ONE_PROCESS


def test_no_module_is_long_and_no_line_wide() -> None:
    counted = count()
    assert counted.longest < 400, "lines of the longest module: split it"
    assert counted.width <= 84, "characters of a line of code, which nine in ten do not exceed"


def test_few_functions_have_many_parameters() -> None:
    """What goes on together is one value; the functions that remain are public, with
    keywords, or pass on what they get.
    """
    many = count().many
    assert len(many) <= 11, f"functions with {MANY} parameters or more: {', '.join(many)}"
