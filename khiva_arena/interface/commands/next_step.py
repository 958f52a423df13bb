"""The next step after a lost match: to ask a stronger bot what it would have chosen."""

import shlex
from collections.abc import Iterable, Sequence
from itertools import chain

from khiva_arena.arbiter.start_problem import permissions_of
from khiva_arena.bots.sandbox.level import Level
from khiva_arena.common.shipped import WORD, adviser
from khiva_arena.games.registry import HASHED, get
from khiva_arena.records.replay.definition import DefinedBot
from khiva_arena.records.replay.record import Header

SAYS_WHERE = "names each choice that a stronger bot makes otherwise"


def lost_seat(game: str, ranks: Sequence[int], words: Sequence[str]) -> int | None:
    """Return a seat that did not win, of a bot that does not come with the arena if
    there is one; None if there is no such seat.

    words: how each bot was named, by seat
    """
    seats = [seat for seat, rank in enumerate(ranks) if rank > 1 and words[seat] != adviser(game)]
    return min(seats, key=lambda seat: words[seat].startswith(WORD), default=None)


def handed(header: Header) -> str:
    """Return the flag that hands over a game which does not come with the arena, as the
    end of a command; "" for any other.
    """
    version = header.rules_version
    return f" --game {shlex.quote(get(header.game, version).word)}" if HASHED in version else ""


def if_yours(isolation: str, bots: Iterable[DefinedBot] = ()) -> str:
    """Return the words to put behind a command that starts the bots of a stored match,
    as the end of a line.

    A match that was played at trusted may have been played there for want of anything
    better. The store may be a stranger's, so the flags are never part of the command.

    isolation: of the event.
    bots: those of the match, which had the network and variables.
    """
    given = [permissions_of(bot.name, bot.network, bot.env) for bot in dict.fromkeys(bots)]
    words = [
        *chain(*given),
        *(["--isolation", Level.TRUSTED] if isolation == Level.TRUSTED else []),
    ]
    return f" (add {shlex.join(words)} if these bots are yours)" if words else ""


def ask_stronger(
    game: str, store: str, match: str, seat: int, *, in_ticks: bool = False, game_flag: str = ""
) -> str:
    """Return the command to type, with what it lacks in words if no bot that comes with
    the arena can be asked.

    in_ticks: whether the match was, so that a bot of the user's own has to be a module.
    game_flag: of ``handed``.
    """
    command = shlex.join(["khiva-arena", "replay", store, match, "--seat", str(seat)]) + game_flag
    if word := adviser(game):
        return f"{command} --bot {word}"
    return f"{command}, with --bot and a stronger {'module' if in_ticks else 'bot'} of yours"
