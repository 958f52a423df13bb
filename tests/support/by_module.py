"""The tests of a run, shared out among its workers: those of a module go to one of them, as those of an ``xdist_group`` do.

A fixture of a module is then made once in a run, and not by each worker that has a test of the module. Sharing out takes less
time itself, too: after each test xdist counts what is left of all units that the worker ever had, which were as many as tests.
"""

from xdist.scheduler import LoadGroupScheduling


class ByModule(LoadGroupScheduling):
    """Units are groups of tests, and of the tests without a group those of a module; the largest units come first."""

    def _split_scope(self, nodeid: str) -> str:
        """Return the name of the unit that a test belongs to."""
        group = str(super()._split_scope(nodeid))
        return nodeid.partition("::")[0] if group == nodeid else group


def suits(marks: str) -> bool:
    """Tell whether tests that are chosen by an expression of marks are shared out by module.

    A soak takes long enough to be a unit by itself. So does any choice of tests without an expression, such as one file by hand.
    """
    return "not soak" in marks
