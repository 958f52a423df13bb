"""Which tables of one deal are out at once: on workers that are made up."""

import pytest
from apart import match
from made_up_workers import GOOD, crew, worker
from msgspec.structs import replace

from khiva_arena.arbiter import match_queue
from khiva_arena.arbiter.live import void
from khiva_arena.arbiter.match_queue import Jobs
from khiva_arena.bots.sandbox.level import Level
from khiva_arena.extensions.cluster.assignments import LOSSES_MOST, TableDesk
from khiva_arena.extensions.cluster.worker_tables import Assignment

BELOW = Level.STANDARD


def table(first: int, deal: int, bots: str, level: Level) -> Jobs:
    """All rotations of a table."""
    return tuple(
        match(first + turn, deal, bots[turn:] + bots[:turn], level) for turn in range(len(bots))
    )


class Desk:
    """A desk with a worker for each letter, on machines of their own."""

    def __init__(self, *tables: tuple[int, str], level: Level, workers: str = "xyz") -> None:
        made = crew(*(worker(name, replace(GOOD, machine=name)) for name in workers))
        self.desk = TableDesk(made)
        self.desk.begin(
            table(10 * number, deal, bots, level) for number, (deal, bots) in enumerate(tables)
        )

    def give(self) -> int | None:
        """Give the next table to its worker, and return the number of its first
        match.
        """
        if (choice := self.desk.next()) is None:
            return None
        key = str(choice.table[0].ordinal)
        self.desk.give(key, Assignment(choice.table, choice.worker.address, 0.0, 0.0))
        return int(key)


def test_tables_of_one_deal_that_share_a_bot_are_not_out_at_once() -> None:
    made = Desk((0, "ab"), (0, "bc"), (0, "cd"), (1, "ab"), level=BELOW)
    assert [made.give() for _ in range(3)] == [0, 20, 30]
    made.desk.take_back("20")
    made.desk.take_back("0")
    assert made.give() == 10
    made.desk.take_back("10")
    assert not made.desk.all_done()
    made.desk.take_back("30")
    assert made.desk.all_done()


@pytest.mark.parametrize("level", [Level.STRICT, BELOW])
def test_where_no_other_table_is_left_strict_alone_waits(level: Level) -> None:
    made = Desk((0, "ab"), (0, "bc"), level=level)
    assert made.give() == 0
    assert made.give() == (None if level is Level.STRICT else 10)
    assert not made.desk.all_done()
    made.desk.take_back("0")
    assert made.give() == (10 if level is Level.STRICT else None)


def test_a_table_that_was_lost_is_the_next_one_and_obeys_too() -> None:
    made = Desk((0, "ab"), (0, "bc"), (1, "bc"), level=Level.STRICT)
    assert [made.give() for _ in range(3)] == [0, 20, None]
    made.desk.lose("0", "is gone", None)
    assert [made.give() for _ in range(2)] == [0, None]
    made.desk.all_again()
    assert [made.give() for _ in range(3)] == [10, 20, None]


@pytest.mark.parametrize("host", [False, True])
def test_a_match_that_was_void_obeys_too(host: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_queue, "HOST_WAITS", (0.0, 0.0, 0.0))
    made = Desk((0, "ab"), (0, "bc"), level=Level.STRICT)
    assert made.give() == 0
    assignment = made.desk.take_back("0")
    assert assignment is not None
    (job, _) = assignment.table
    assert made.give() == 10
    made.desk.once_more(job, assignment.worker, void(job, "late", host=host), lambda _: None)
    assert made.give() is None
    made.desk.take_back("10")
    assert made.give() == 0


def test_the_matches_of_a_table_that_is_void_after_its_last_loss_obey_too() -> None:
    made = Desk((0, "ab"), (0, "bc"), level=Level.STRICT)
    for _ in range(LOSSES_MOST - 1):
        assert made.give() == 0
        made.desk.lose("0", "is gone", lambda _: None)
    assert made.give() == 0
    made.desk.lose("0", "is gone", lambda _: None)
    for number in (0, 1, 10):
        assert [made.give(), made.give()] == [number, None]
        made.desk.take_back(str(number))


def test_a_worker_that_had_a_table_before_gets_another_one() -> None:
    made = Desk((0, "ab"), (1, "ab"), level=BELOW, workers="xy")
    assert made.give() == 0
    first = made.desk.assignments["0"].worker
    made.desk.lose("0", "is gone", None)
    (other,) = {"x", "y"} - {first}
    made.desk._crew.workers[other].tasks.add("another run's")
    assert made.give() == 10
    assert made.desk.assignments["10"].worker == first


def test_a_bot_that_made_a_match_void_is_warned_when_it_is_played_again() -> None:
    made = Desk((0, "ab"), level=BELOW)
    assert made.give() == 0
    assignment = made.desk.take_back("0")
    assert assignment is not None
    outcome = replace(void(assignment.table[0], "the backstop", host=False), causes=(1,))
    made.desk.once_more(assignment.table[0], assignment.worker, outcome, lambda _: None)
    choice = made.desk.next()
    assert choice is not None
    assert [job.warned for job in choice.table] == [(1,)]


def test_a_table_that_is_checked_is_never_late_and_is_lost_with_its_worker() -> None:
    made = Desk((0, "ab"), level=BELOW)
    assert made.give() == 0
    assert made.desk.late_tables(1.0) == ["0"]
    made.desk.hold(
        "0", [void(job, "", host=False) for job in made.desk.assignments["0"].table], [0]
    )
    assert made.desk.late_tables(1e12) == []
    assert not made.desk.all_done()
    made.desk.lose("0", "is gone", None)
    assert made.give() == 0
    assert not made.desk.assignments["0"].outcomes
