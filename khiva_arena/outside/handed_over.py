"""What a command was handed is known to the processes of ours that help it, by a variable that their bots never see."""

import os

from khiva_arena.outside.calls import VARIABLE


def take() -> None:
    """In a process of ours: let what its command was handed be run here, too."""
    words = os.environ.get(VARIABLE)
    if words:
        import msgspec  # not above: few commands are handed a game

        from khiva_arena.outside.opening import offer

        offer(msgspec.json.decode(words, type=list[str]))
