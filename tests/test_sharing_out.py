"""How the tests of a run are shared out among its workers."""

from types import SimpleNamespace
from typing import Any

import by_module

TESTS = [
    *(f"tests/a/test_one.py::test_{number}" for number in range(9)),
    "tests/a/test_one.py::test_of_a_group@together",
    *(f"tests/b/test_two.py::test_cases[{case}]" for case in ("x@y", "::", "[@]")),
    "tests/b/test_two.py::test_of_a_group[1]@together",
    "tests/b/test_three.py::test_alone",
]
UNITS = [TESTS[:9], TESTS[10:13], [TESTS[9], TESTS[13]], TESTS[14:]]


class Worker:
    """A worker of xdist that is told which tests to run, and runs none."""

    def __init__(self, name: str) -> None:
        self.gateway = SimpleNamespace(id=name)
        self.shutting_down = False
        self.given: list[list[str]] = []

    def send_runtest_some(self, places: list[int]) -> None:
        self.given.append([TESTS[place] for place in places])

    def shutdown(self) -> None:
        self.shutting_down = True


def test_tests_of_a_module_go_to_one_worker_and_those_of_a_group_too() -> None:
    workers = [Worker("one"), Worker("two")]
    config: Any = SimpleNamespace(option=SimpleNamespace(loadscopereorder=True), getvalue=lambda _name: ["popen"] * len(workers))
    shared = by_module.ByModule(config)
    for worker in workers:
        shared.add_node(worker)
        shared.add_node_collection(worker, TESTS)
    shared.schedule()
    ran: set[str] = set()
    while waiting := [(worker, test) for worker in workers for unit in worker.given for test in unit if test not in ran]:
        worker, test = waiting[0]
        ran.add(test)
        shared.mark_test_complete(worker, TESTS.index(test))
    assert sorted(unit for worker in workers for unit in worker.given) == sorted(UNITS)
    assert [worker.given[0] for worker in workers] == UNITS[:2]
