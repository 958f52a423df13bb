"""What several files of tests of relays share."""

from pathlib import Path

import pytest
from relaying import TOKEN

from khiva_arena.extensions.seats.relay_command import as_one_file


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The relay as one file, away from the arena."""
    file = tmp_path_factory.mktemp("relay") / "relay.py"
    file.write_text(as_one_file())
    token = file.with_name("token")
    token.write_text(TOKEN)
    token.chmod(0o600)
    return file
