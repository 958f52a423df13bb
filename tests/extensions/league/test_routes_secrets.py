"""The secret of the batch that is played: in no file that the server can open, and not
in its memory.
"""

import json
import os
import secrets
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path

import pytest
from arena import arena
from league_serving import OTHER_USER, league_server
from public_league import league_folder, write_public
from tools import lacks
from wording import sentence

from khiva_arena.bots.sandbox import own_cell
from khiva_arena.extensions.league.folder import PUBLIC
from khiva_arena.extensions.league.submissions.queue import Queue

SEARCH = Path(__file__).parent / "support" / "secret_search.py"
CHANGING = ("/tmp", "/var", "/run", "/root", "/home", "/etc", "/dev/shm")
"""Where files are that may have been written since the secret was made."""
FILES_OF_A_PROCESS = ("mem", "environ", "maps", "cmdline", "auxv", "stack")


class League:
    """A league whose running batch has a secret, and a process that has it, too, as a
    player does.

    folder: of the league.
    secret: of the batch.
    player: the number of the process.
    began: when all of it was made.
    """

    def __init__(self, folder: Path, secret: bytes, player: int, began: float) -> None:
        self.folder, self.secret, self.player, self.began = folder, secret, player, began

    @cached_property
    def paths(self) -> list[str]:
        """Return each path under which the secret might be found."""
        below = [str(path) for path in self.folder.rglob("*") if path.is_file()]
        for root in CHANGING:
            below += files_since(self.began, root)
        processes = [
            f"/proc/{pid}/{name}" for pid in (self.player, "self") for name in FILES_OF_A_PROCESS
        ]
        return [
            *{*below},
            *processes,
            f"/proc/{self.player}/fd/0",
            "/proc/self/fd/3/../arena.db",
            "/dev/mem",
        ]


def files_since(began: float, root: str) -> Iterator[str]:
    """Yield the files below a folder that were written since a moment, as far as this
    user may look.
    """
    todo = [root]
    while todo:
        with (
            suppress(OSError),
            os.scandir(todo.pop()) as entries,
        ):  # of a folder that is closed, or gone
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    todo.append(entry.path)
                    continue
                with suppress(OSError):
                    if entry.is_file() and entry.stat().st_ctime >= began:
                        yield entry.path


@pytest.fixture
def league(open_folder: Path) -> Iterator[League]:
    began, secret = time.time() - 1, secrets.token_bytes(32)
    folder = league_folder(open_folder / "spring")
    write_public(folder)
    with sqlite3.connect(folder / "arena.db") as store:
        store.execute("PRAGMA journal_mode = WAL")
        store.execute("CREATE TABLE secrets (secret BLOB, hex TEXT)")
        store.execute("INSERT INTO secrets VALUES (?, ?)", (secret, secret.hex()))
    store.close()
    (folder / "arena.db").chmod(0o600)
    (folder / PUBLIC / "link").symlink_to(folder / "arena.db")
    holds = (
        "import sys; secret = bytes.fromhex(sys.stdin.readline()); print(flush=True); "
        "sys.stdin.read()"
    )
    player = subprocess.Popen(
        [sys.executable, "-c", holds], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert player.stdin
        assert player.stdout
        player.stdin.write(secret.hex() + "\n")
        player.stdin.flush()
        player.stdout.readline()
        yield League(folder, secret, player.pid, began)
    finally:
        player.kill()
        player.communicate()


def searched(league: League, how: str, tmp_path: Path) -> dict[str, list[str]]:
    (tmp_path / "paths").write_text("\n".join(league.paths))
    user = ["--user", OTHER_USER] if os.geteuid() == 0 else []
    command = ["league", "serve", str(league.folder), "--listen", "127.0.0.1:0", *user]
    words = [
        sys.executable,
        str(SEARCH),
        str(tmp_path / "paths"),
        league.secret.hex(),
        how,
        *command,
    ]
    # The secret is on the command line of the search, so that line is none of the files
    # to be searched.
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, list[str]] = json.loads(done.stdout)
    own = ("/proc/self/cmdline", "/proc/self/mem")
    return {name: [path for path in paths if path not in own] for name, paths in found.items()}


@pytest.mark.soak
def test_no_file_that_the_server_can_open_has_the_secret(league: League, tmp_path: Path) -> None:
    if own_cell.missing():
        lacks("; ".join(own_cell.missing()))
    bare = searched(league, "open", tmp_path)
    assert str(league.folder / "arena.db") in bare["hits"]  # it is found where it can be
    confined = searched(league, "confined", tmp_path)
    assert confined["hits"] == []
    opened = [path for path in confined["opened"] if path.startswith(str(league.folder))]
    public = str(league.folder / PUBLIC)
    assert opened
    assert all(path.startswith(public) for path in opened)
    assert any(path.endswith(":league.json") for path in confined["opened"])
    assert not any("arena.db" in path or path.endswith(":link") for path in confined["opened"])


def memory(pid: int) -> Iterator[bytes]:
    """Yield each readable part of a process's memory."""
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as file:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            span, rights, *_ = line.split()
            if "r" not in rights or line.endswith(("[vvar]", "[vsyscall]", "[vvar_vclock]")):
                continue
            first, last = (int(part, 16) for part in span.split("-"))
            file.seek(first)
            try:
                yield file.read(last - first)
            except OSError:  # behind the end of a mapped file
                continue


@pytest.mark.slow
def test_the_memory_of_the_server_does_not_have_it(league: League) -> None:
    if own_cell.missing():
        lacks("; ".join(own_cell.missing()))
    with Queue(league.folder) as queue, league_server(league.folder) as server:
        token = queue.rotate(queue.add_author("ann").id)
        for path in (
            "/",
            "/batches/3.html",
            "/chain.jsonl",
            "/author",
            "/api/league.json",
            "/nothing",
        ):
            server.ask(path)
        assert server.ask("/api/entries", Authorization=f"Bearer {token}").status == 200
        parts = list(memory(server.process.pid))
    assert any(
        token.encode() in part or b"Spring league" in part for part in parts
    )  # it is its memory
    assert not any(league.secret in part or league.secret.hex().encode() in part for part in parts)


def test_root_is_not_served(league: League) -> None:
    words = ("league", "serve", str(league.folder), "--listen", "127.0.0.1:0")
    if os.geteuid() != 0:
        said = arena(*words, "--user", OTHER_USER, cwd=league.folder, code=2).stderr
        assert (
            "only root can become another user; leave it out, or start the server as root" in said
        )
        return
    assert (
        "league serve: not as root, since what is served could read every secret; give --user NAME"
        in arena(*words, cwd=league.folder, code=2).stderr
    )
    owner = arena(*words, "--user", "root", cwd=league.folder, code=2).stderr
    assert sentence("league_serve", "owns-files") in owner
    os.chown(league.folder / "arena.db", 1, 1)
    assert (
        sentence("league_serve", "owns-files")
        in arena(*words, "--user", "daemon", cwd=league.folder, code=2).stderr
    )
    nobody = arena(*words, "--user", "no-such-user-here", cwd=league.folder, code=2).stderr
    assert "no such user; make one with" in nobody


@pytest.mark.parametrize(
    ("words", "row"),
    [
        (
            ("--listen", "0.0.0.0:0"),
            "others on the way could read tokens; give --tls-cert FILE and --tls-key FILE",
        ),
        (
            ("--listen", "127.0.0.1:0", "--tls-cert", "x.pem"),
            "--tls-cert and --tls-key: give both or neither",
        ),
        (("--listen", "nowhere"), "HOST:PORT"),
        (("--listen", "127.0.0.1:0", "--tls-cert", "x.pem", "--tls-key", "x.pem"), "x.pem"),
    ],
)
def test_what_cannot_be_served_is_said_in_a_line(
    open_folder: Path, words: tuple[str, ...], row: str
) -> None:
    folder = league_folder(open_folder / "spring")
    user = ("--user", OTHER_USER) if os.geteuid() == 0 else ()
    said = arena("league", "serve", str(folder), *words, *user, cwd=folder, code=2).stderr
    assert row in said
    assert said.count("\n") == 1


def test_no_league_is_no_page(tmp_path: Path) -> None:
    said = arena(
        "league", "serve", str(tmp_path), "--listen", "127.0.0.1:0", cwd=tmp_path, code=2
    ).stderr
    assert "no league here, since it has no" in said
