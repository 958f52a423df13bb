"""Lines for the user, handed up by rooms that print nothing themselves."""

from typing import Protocol


class Say(Protocol):
    """Tell the user one line. ``warning``: it begins with "warning: "."""

    def __call__(self, text: str, *, warning: bool = False) -> None: ...


def say_nothing(text: str, *, warning: bool = False) -> None:
    """Drop a line, for a caller that has nobody to tell."""
