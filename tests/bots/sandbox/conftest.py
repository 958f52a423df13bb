"""What several files of tests of the sandbox share."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def user_home() -> Iterator[Path]:
    """A home for an ordinary user. Not below pytest's own folder: each run of tests
    that begins closes that to others again.
    """
    path = Path(tempfile.mkdtemp(prefix="khiva-arena-home-"))
    yield path
    shutil.rmtree(path)
