"""Lines for the user, handed up by rooms that print nothing themselves."""

from typing import Protocol


class Say(Protocol):
    """A function that tells the user one line. ``warning``: the line begins with
    "warning: ".
    """

    def __call__(self, text: str, *, warning: bool = False) -> None: ...


def say_nothing(text: str, *, warning: bool = False) -> None:
    """Drop a line, for a caller that has nobody to tell."""
