"""What many tests read and none need make for itself: made once in a run of the tests,
by the worker that is there first.
"""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(make: Callable[[Path], None]) -> Callable[[pytest.TempPathFactory], Path]:
    """A fixture from a function that fills a folder. Each module of tests that asks for
    it has a copy of its own.
    """

    @pytest.fixture(scope="module", name=make.__name__)
    def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
        made = filled(tmp_path_factory, f"{make.__module__}.{make.__name__}", make)
        return Path(shutil.copytree(made, tmp_path_factory.mktemp(make.__name__) / "copy"))

    copy.__doc__ = make.__doc__
    return copy


def filled(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """The folder of this name that all workers share, filled by the first of them; the
    others wait for it.
    """
    base = factory.getbasetemp()
    place = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / f"once-{name}"
    done = place / ".done"
    with open(f"{place}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(place, ignore_errors=True)  # what one that failed has left
            place.mkdir()
            make(place)
            done.touch()
    return place
