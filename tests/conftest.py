"""What all tests share: a cache of staged bots that is not the user's, and tools that CI must have."""

import os
import shutil
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


def need(tool: str) -> str:
    """The path of a tool that is not Python. Without it a test fails in CI, and elsewhere is skipped with the reason."""
    found = shutil.which(tool)
    if found is None:
        if os.environ.get("CI"):
            pytest.fail(f"{tool} is missing, and CI has to have it: see .ci/run")
        pytest.skip(f"NOT TESTED: {tool} is not on this machine")
    return found
