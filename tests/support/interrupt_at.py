"""Interrupts at every place of a call where a signal can interrupt it, one after the
other.
"""

import sys
from collections.abc import Iterable
from pathlib import Path
from types import FrameType, ModuleType


class InterruptAt:
    """A profiler that interrupts once, where Python looks for signals: as a function of
    some modules begins, or a call of C ends.

    where: the line; "" until it interrupts.
    """

    def __init__(self, number: int, modules: Iterable[ModuleType]) -> None:
        """Make one that interrupts at that place of these modules, counted from 1."""
        self._left, self.where = number, ""
        self._files = {module.__file__ for module in modules}

    def see(self, frame: FrameType, event: str, _value: object) -> None:
        """See a call begin or end."""
        if frame.f_code.co_filename in self._files and event in ("call", "c_return"):
            self._left -= 1
            if not self._left:
                sys.setprofile(None)
                self.where = f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno} {event}"
                raise KeyboardInterrupt
