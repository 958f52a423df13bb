"""The bank of a seat by the wall clock."""

from khiva_arena.replay.definition import TimeLimits


class Bank:
    """The time of one seat beyond its turns, in seconds.

    turn: for each decision.
    balance: for everything that decisions take beyond their turns.
    credit: an addition to the next decision, for the time that its bytes are under way: the seat is not charged for it.
    """

    __slots__ = ("balance", "credit", "turn")

    def __init__(self, limits: TimeLimits) -> None:
        self.turn = limits.turn
        self.balance = limits.bank_ms / 1000
        self.credit = 0.0

    @property
    def left_ms(self) -> int:
        """The balance in whole milliseconds, rounded down, as a bot gets it."""
        return int(self.balance * 1000)

    def allowance(self) -> float:
        """Return the seconds that the next decision may take in all."""
        return self.turn + self.balance + self.credit

    def charge(self, elapsed: float) -> float:
        """Charge a decision of ``elapsed`` seconds: its time beyond the turn comes off the bank. Return its seconds without the
        credit."""
        seconds = max(0.0, elapsed - self.credit)
        # The time that a turn leaves over is lost: a bank never refills.
        if seconds > self.turn:
            self.balance = max(0.0, self.balance - (seconds - self.turn))
        return seconds
