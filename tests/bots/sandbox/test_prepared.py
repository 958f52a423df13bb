"""What is laid out once for a process and shown in every cell of namespaces."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from khiva_arena.bots.sandbox import prepared, proc_mask, readable_paths
from khiva_arena.bots.sandbox.cell import cell
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.detect import run_at
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.bots.sandbox.prepared import FEW, Prepared


@pytest.fixture
def laid_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Path, Prepared]]:
    """Of a folder that stands for /etc, with one setting of each kind."""
    etc = tmp_path / "etc"
    for name in ("few", "many", "closed"):
        (etc / name).mkdir(parents=True)
    (etc / "few" / "inner").symlink_to("../file")
    for n in range(FEW + 1):
        (etc / "many" / str(n)).touch()
    (etc / "file").write_text("setting")
    (etc / "file").chmod(0o640)
    (etc / "large").write_bytes(bytes(prepared.SMALL + 1))
    (etc / "link").symlink_to("file")
    os.mkfifo(etc / "closed" / "pipe")
    monkeypatch.setattr(prepared, "ETC", str(etc))
    monkeypatch.setattr(
        readable_paths, "system", lambda: ("/usr", *sorted(str(path) for path in etc.iterdir()))
    )
    before = os.umask(0o077)
    made = prepared._lay_out({"/proc/stat": b"still", "/proc/sys/fs/nr_open": b"7"})
    os.umask(before)
    yield etc, made
    shutil.rmtree(made.folder)


def test_what_is_small_is_copied_with_its_modes_and_the_rest_has_a_place(
    laid_out: tuple[Path, Prepared],
) -> None:
    etc, made = laid_out
    assert made.copies == {f"{etc}/{name}" for name in ("few", "file", "link")}
    assert made.mounts == {f"{etc}/{name}" for name in ("many", "large", "closed")}
    copies = Path(made.etc)
    assert sorted(path.name for path in copies.iterdir()) == sorted(
        path.name for path in etc.iterdir()
    )
    assert os.readlink(copies / "few" / "inner") == "../file"
    assert not (copies / "link").is_symlink()
    assert [(copies / name).stat().st_mode & 0o777 for name in ("file", "link")] == [0o640, 0o640]
    assert list((copies / "many").iterdir()) == list((copies / "closed").iterdir()) == []
    assert (copies / "large").stat().st_size == 0


def test_a_bot_may_pass_its_folders_whatever_our_umask_is(laid_out: tuple[Path, Prepared]) -> None:
    _, made = laid_out
    folders = [
        made.etc,
        f"{made.folder}{proc_mask.EMPTY}",
        *(f"{made.folder}/proc{name}" for name in ("", "/sys", "/sys/fs")),
    ]
    assert {os.stat(folder).st_mode & 0o777 for folder in folders} == {0o755}
    assert Path(f"{made.folder}/proc/sys/fs/nr_open").stat().st_mode & 0o777 == 0o444
    assert os.stat(made.folder).st_mode & 0o777 == 0o700  # nobody else gets there from outside


def test_it_is_made_once_and_again_if_it_was_removed() -> None:
    first = prepared.prepare()
    assert prepared.prepare() is first
    shutil.rmtree(first.folder)
    second = prepared.prepare()
    assert second.folder != first.folder
    assert Path(f"{second.folder}/proc/stat").read_bytes() == proc_mask.pictures()["/proc/stat"]


def test_it_goes_with_its_process_and_not_with_one_that_was_forked() -> None:
    code = (
        "import os, sys; from khiva_arena.bots.sandbox.prepared import prepare\n"
        "folder = prepare().folder\n"
        "child = os.fork()\n"
        "if not child: print(prepare().folder != folder); sys.exit()\n"
        "os.waitpid(child, 0); print(os.path.isdir(folder)); print(folder)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *found, folder = done.stdout.split()
    assert found == ["True", "True"]
    assert not os.path.exists(folder)


def mounts(made: list[str]) -> list[str]:
    return [
        path
        for word, path in zip(made, made[2:], strict=False)
        if word == "--ro-bind" and path.startswith("/etc")
    ]


@pytest.mark.usefixtures("standard")
def test_settings_take_one_mount_unless_a_bot_may_read_more_of_etc() -> None:
    for readable, several in (((), False), (("/etc/passwd",), True)):
        made = cell(
            Command(("/bin/true",), "/", readable=readable), Sandbox(Level.STANDARD), "test"
        )
        made.clean()
        assert (mounts(made.argv)[0] == "/etc") is not several
        code, out, said = run_at(
            Level.STANDARD, ("/bin/sh", "-c", "ls /etc /etc/ssl; echo x > /etc/new"), readable
        )
        assert code != 0
        assert "Read-only file system" in said
        assert "openssl.cnf" in out
        assert ("passwd" in out) is several
