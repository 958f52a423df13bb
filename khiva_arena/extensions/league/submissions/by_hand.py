"""A bot that its organiser enters by hand: it comes in if the command ends well, and
else not at all.

The command holds its entry until its last act, so that the player leaves it alone. What
a kill leaves stays so: the same command takes it up, a newer entry of the bot takes its
place, and ``league cancel`` takes it back.
"""

from typing import NamedTuple

from khiva_arena.common.say import Say, say_nothing
from khiva_arena.display.terminal import interrupts
from khiva_arena.errors import StagingError
from khiva_arena.extensions.league.settings import League
from khiva_arena.extensions.league.submissions import entry_files
from khiva_arena.extensions.league.submissions.examine import examine_next
from khiva_arena.extensions.league.submissions.limits import BotsBound
from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.extensions.league.submissions.queue_rows import QueueEntry

ENDED = "its `league enter` ended before it was in"


class Packed(NamedTuple):
    """A bot as its organiser has it at hand.

    author: its author's id.
    family: its name in the league.
    identity: of its files and commands, which are packed.
    files: the stream of them.
    """

    author: str
    family: str
    identity: str
    files: bytes


def enter(
    league: League, queue: Queue, bot: Packed, bots: BotsBound, say: Say = say_nothing
) -> QueueEntry:
    """Examine a bot, let it wait for the next batch, and return its entry, which is
    accepted or refused. If that is interrupted or fails, nothing of it waits.

    bots: what bounds those of its author.
    say: told why the arena could not examine it.

    Raises ConfigError for a bot that the league does not take, StagingError if this
    machine is to blame.
    """
    number = 0
    with entry_files.EntryLock(league.folder) as lock:
        try:
            with queue.hold():
                number = _left(league, queue, bot) or queue.add_entry(*bot, bots)
                lock.take(number)
            if queue.entry(number).state == "waiting":
                _, finding = examine_next(league, queue, number) or (None, None)
                if finding and finding.failure:
                    say(f"entry {number} was not examined: {finding.failure}", warning=True)
            # from here on it is in, or refused, and the command says so
            interrupts.listen_no_more()
            queue.release(number)
            return queue.entry(number)
        except BaseException as error:
            interrupts.listen_no_more()  # a second one would leave it as a kill does
            queue.roll_back()
            if lock.is_taken and queue.holds(number, bot.identity):
                entry_files.take_back(league.folder, queue, number, ENDED)
            if isinstance(error, StagingError):
                raise StagingError(
                    f"{error}; nothing of it waits: run the same command again"
                ) from None
            raise


def _left(league: League, queue: Queue, bot: Packed) -> int:
    """Return the number of the entry that an earlier command has left of the same bot,
    0 if there is none.
    """
    for entry in queue.entries_of(bot.author):
        is_left = entry.state == "accepted" or (entry.state == "waiting" and entry.held)
        if is_left and (entry.family_name, entry.identity) == (bot.family, bot.identity):
            return (
                0
                if entry.held and entry_files.is_at_work(league.folder, entry.number)
                else entry.number
            )
    return 0
