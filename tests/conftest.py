"""What all tests share: helpers to import, examples without deadlines, and a cache of staged bots that is not the user's."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes is no one's failure on a shared machine.
settings.register_profile("arena", deadline=None, print_blob=True)
settings.load_profile("arena")

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    os.environ["KHIVA_ARENA_CACHE"] = str(tmp_path_factory.mktemp("cache"))
