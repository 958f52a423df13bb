"""A folder that other users may enter, as bots are under root."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """pytest's own folders are closed to others."""
    path = Path(tempfile.mkdtemp(prefix="khiva-arena-test-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)
