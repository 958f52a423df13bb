"""A league behind TLS of its own: pages, a connection that never shakes hands, and
bytes that are no TLS.
"""

import json
import socket
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from arena import arena
from league_serving import LeagueServer, league_server
from public_league import league_folder, write_public
from tools import need

from khiva_arena.extensions.league.submissions.queue import Queue

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    need("openssl")
    made = league_folder(tmp_path / "spring")
    write_public(made)
    words = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-days",
        "30",
    ]
    words += [
        "-subj",
        "/CN=arena",
        "-addext",
        "subjectAltName=IP:127.0.0.1",
        "-keyout",
        "key.pem",
        "-out",
        "cert.pem",
    ]
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    return made


@pytest.fixture
def server(folder: Path) -> Iterator[LeagueServer]:
    cert, key = folder.parent / "cert.pem", folder.parent / "key.pem"
    context = ssl.create_default_context(cafile=str(cert))
    with league_server(
        folder, "--tls-cert", str(cert), "--tls-key", str(key), context=context
    ) as one:
        yield one


def test_pages_and_uploads_go_over_tls(server: LeagueServer, folder: Path, tmp_path: Path) -> None:
    assert server.said.split()[3].startswith("https://")
    assert "Spring league" in server.ask("/").text
    with Queue(folder) as queue:
        (tmp_path / "token").write_text(queue.rotate(queue.add_author("ann").id))
    (tmp_path / "token").chmod(0o600)
    arena("new", "python", "crow", cwd=tmp_path)
    how = ("--to", server.origin, "--token-file", "token", "--ca", "cert.pem", "--json")
    sent = arena("submit", "crow", *how, cwd=tmp_path, env={"XDG_STATE_HOME": str(tmp_path)})
    assert json.loads(sent.stdout)["entry"] == 1


def test_one_connection_answers_several_requests(server: LeagueServer) -> None:
    connection = server.connection()
    for path in ("/", "/batches", "/batches/3.html"):
        connection.request("GET", path)
        answer = connection.getresponse()
        assert (answer.status, answer.read()[:1]) == (200, b"<")
    connection.close()


def test_who_speaks_no_tls_holds_up_nobody(server: LeagueServer) -> None:
    silent = socket.create_connection(("127.0.0.1", server.port))
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as plain:
        plain.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert b"HTTP" not in plain.recv(1_000)
    assert server.ask("/").status == 200
    silent.close()
