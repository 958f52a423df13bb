"""A seat of a stored match that a person takes over at a step, for ``khiva-arena play
--from``.
"""

from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from khiva_arena.common.setting_row import duration_ms
from khiva_arena.competition.settings.one_match import OneMatch
from khiva_arena.display.terminal.console import say
from khiva_arena.entrants import guests
from khiva_arena.errors import ConfigError
from khiva_arena.interface.commands.decision import decision_of
from khiva_arena.interface.commands.otherwise import SENT_AGAIN
from khiva_arena.interface.commands.stored_table import StoredTable, seated, stored_table
from khiva_arena.records.replay.past import past_of


class TakenSeat(NamedTuple):
    """A seat of a stored match, as the flags of these names say; None without the flag.

    stored: the folder of the store, and the match in it.
    step: the number of the step at which the person comes.
    seat: the seat that was asked there.
    """

    stored: tuple[str, str] | None
    step: int | None
    seat: int | None

    def find(self, flags: dict[str, Any]) -> StoredTable:
        """Return the stored match. ``flags``: those of the settings, ``--turn`` not
        among them.

        Raises ConfigError, StoreError if it cannot go on from there, or if it may not
        be shown yet.
        """
        if self.stored is None or self.step is None or self.seat is None:
            raise ConfigError(
                "--from STORE MATCH, --step N and --seat S go together: they say where you "
                "take a seat over"
            )
        table = stored_table(Path(self.stored[0]), self.stored[1], flags)
        decision_of(table, self.step, self.seat)
        words = flags["bots"]
        for seat, word in enumerate(words):
            is_person = guests.is_guest(word) and guests.guest_of(word).kind == guests.PERSON
            if is_person != (seat == self.seat):
                raise ConfigError(
                    f"--bot {word}: you take seat {self.seat} over; write --bot person "
                    "there, a bot at each other"
                )
        return table

    def set_up(self, table: StoredTable, flags: dict[str, Any], turn: str) -> OneMatch:
        """Return the match, ready to be played. There must be a hub already. ``turn``:
        the person's time for each decision.

        Raises ConfigError, BotError.
        """
        assert self.step is not None
        assert self.seat is not None
        entrants, job = seated(table, flags, guest=self.seat)
        if strangers := [
            bot for seat, bot in enumerate(entrants) if bot.guest and seat != self.seat
        ]:
            raise ConfigError(f"{strangers[0].asked_as}: {guests.NOT_HERE[strangers[0].guest]}")
        if not job.in_ticks:
            say(SENT_AGAIN)
        past = past_of(table.record, table.details, self.step, self.seat, None)
        past = replace(past, guest=self.seat, guest_turn_ms=duration_ms(turn))
        marks = [
            (bot.guest, "network" if command.network else "")
            for bot, command in zip(entrants, job.commands, strict=True)
        ]
        return OneMatch(
            replace(job, past=past, person_turn_ms=past.guest_turn_ms),
            tuple(entrants),
            None,
            tuple(tuple(filter(None, row)) for row in marks),
            table.record,
        )
