"""Tools that tests need beyond Python."""

import os
import shutil

import pytest


def need(tool: str) -> None:
    """Without the tool a test fails in CI, where .ci/run installs it, and elsewhere is skipped with the reason."""
    if shutil.which(tool):
        return
    text = f"NOT TESTED: {tool} is not on this machine"
    if os.environ.get("CI"):
        pytest.fail(text)
    pytest.skip(text)
