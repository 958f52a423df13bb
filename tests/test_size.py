"""The size of the package: a change that adds code sees what it adds, and raises a bound only knowingly."""

from count_code import MANY, count


def test_the_package_grows_knowingly() -> None:
    counted = count()
    assert counted.code <= 55_715, "lines of code: delete more than you add, or say in the change why not"
    assert counted.files <= 618, "modules: one of under 60 lines with one importer belongs into that"
    assert counted.longest <= 440, "lines of the longest module: split it"
    assert counted.tokens <= 10.12, "tokens a line of code: lines have become dense"
    assert counted.width <= 92, "characters of a line of code, which nine in ten do not exceed"


def test_few_functions_have_many_parameters() -> None:
    """What goes on together is one value; the functions that remain are public, with keywords, or pass on what they get."""
    many = count().many
    assert len(many) <= 11, f"functions with {MANY} parameters or more: {', '.join(many)}"
