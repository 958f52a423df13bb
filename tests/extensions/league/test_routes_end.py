"""Beginning and end of a league's server as a service manager has them: a socket that
is handed over, and signals.
"""

import os
import shlex
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from arena import arena
from league_serving import OTHER_USER, LeagueServer, league_server
from leagues import league_in
from wording import sentence

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_server_with_a_line(tmp_path: Path, number: signal.Signals) -> None:
    """In its cell it can send itself no signal, which is how this program makes
    interrupts of others.
    """
    league = league_in(tmp_path / "spring")
    with league_server(league.folder) as server:
        assert server.ask("/").status == 200
        connection = server.connection()
        connection.request("GET", "/")
        server.process.send_signal(number)
        assert server.process.wait(60) == 0
        assert server.process.stderr
        assert sentence("league", "pages-closed") in server.process.stderr.read()
        connection.close()


def test_a_service_manager_may_hand_the_socket_over(tmp_path: Path) -> None:
    """So no connection is refused while the server starts again, and nobody needs root
    for a low port.
    """
    league = league_in(tmp_path / "spring")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        user = ["--user", OTHER_USER] if os.geteuid() == 0 else []
        words = shlex.join(["league", "serve", str(league.folder), "--listen", "inherit", *user])
        command = [
            "sh",
            "-c",
            f"LISTEN_PID=$$ LISTEN_FDS=1 exec {shlex.quote(sys.executable)} -m khiva_arena {words}",
        ]
        process = subprocess.Popen(
            command,
            stderr=subprocess.PIPE,
            text=True,
            pass_fds=(3,),
            preexec_fn=lambda: os.dup2(listener.fileno(), 3),
        )
        try:
            assert process.stderr
            server = LeagueServer(process, process.stderr.readline(), None)
            assert server.port == listener.getsockname()[1]
            assert server.ask("/").status == 200
        finally:
            process.kill()
            process.communicate()


def test_no_socket_that_was_handed_over_is_told(tmp_path: Path) -> None:
    league = league_in(tmp_path / "spring")
    refused = arena(
        "league", "serve", str(league.folder), "--listen", "inherit", cwd=tmp_path, code=2
    )
    assert "no listening socket was handed over" in refused.stderr
