"""Makers of vectors, programs beside the tests that hold their files."""

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType


@contextmanager
def maker_at(path: Path) -> Iterator[ModuleType]:
    """Load a maker, and take back what it adds to the path of imports."""
    before = list(sys.path)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.path[:] = before
