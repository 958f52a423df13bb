"""Toolchains in a user's home: the program behind a proxy of rustup, Go's own folders,
and the PATH that a build finds inside.
"""

import os
from pathlib import Path

import pytest
from levels import KEEPING
from wording import sentence

from khiva_arena.bots.sandbox import readable_paths
from khiva_arena.bots.sandbox.cell import cell
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.entrants.bots import load
from khiva_arena.entrants.staging import stage
from khiva_arena.errors import BotError

pytestmark = pytest.mark.slow

RUSTUP = """#!/bin/sh
echo "$2" >> "$0.asked"
[ "$1" = which ] || exit 64
[ -x "{bin}/$2" ] || {{
  echo "info: one line" >&2; echo "error: no default toolchain" >&2; exit 1; }}
echo "{bin}/$2"
"""
CARGO = """#!/bin/sh
echo "cargo $*" && rustc
"""
RUSTC = """#!/bin/sh
printf '#!/bin/sh\\nexec sleep 60\\n' > bot && chmod +x bot
"""


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def home(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with rustup as it installs itself, cargo and rustc behind it, and its
    proxies first on the PATH.
    """
    home = open_folder / "home"
    toolchain = home / ".rustup" / "toolchains" / "stable"
    program(toolchain / "bin" / "cargo", CARGO)
    program(toolchain / "bin" / "rustc", RUSTC)
    (toolchain / "lib").mkdir()
    proxies = home / ".cargo" / "bin"
    program(proxies / "rustup", RUSTUP.format(bin=toolchain / "bin"))
    (proxies / "cargo").symlink_to("rustup")
    (proxies / "rustc").hardlink_to(proxies / "rustup")
    (proxies / "miri").symlink_to("rustup")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", f"{proxies}:{os.environ['PATH']}")
    return home


def test_a_proxy_of_rustup_is_what_it_starts(home: Path) -> None:
    toolchain = home / ".rustup" / "toolchains" / "stable"
    for name in ("cargo", "rustc"):
        assert readable_paths.program_path(name, "/") == str(toolchain / "bin" / name)
    cargo = str(toolchain / "bin" / "cargo")
    assert readable_paths.toolchain(cargo) == (str(toolchain),)
    assert readable_paths.search_path(cargo).split(":")[:2] == [
        str(toolchain / "bin"),
        "/usr/local/bin",
    ]


def asked(home: Path) -> list[str]:
    """What the rustup of a home was asked for."""
    log = home / ".cargo" / "bin" / "rustup.asked"
    return log.read_text().split() if log.exists() else []


def test_rustup_is_asked_once_for_a_program(home: Path) -> None:
    for _ in range(3):
        cell(Command(("cargo",), "/"), Sandbox(Level.TRUSTED), "test").clean()
    assert asked(home) == ["cargo"]


def test_a_rustup_from_where_we_are_is_not_run(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home / ".cargo")
    monkeypatch.setenv("PATH", f"bin:{os.environ['PATH']}")
    assert readable_paths.program_path("cargo", "/") == str(home / ".cargo" / "bin" / "cargo")
    assert asked(home) == []


def test_a_rustup_of_another_user_is_not_run(home: Path) -> None:
    proxies = home / ".cargo" / "bin"
    (proxies / "rustup").chmod(0o777)  # as in images for containers
    assert readable_paths.program_path("cargo", "/") == str(
        home / ".rustup" / "toolchains" / "stable" / "bin" / "cargo"
    )
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    os.chown(proxies / "rustup", 12_345, 12_345)
    readable_paths._behind_rustup.cache_clear()
    assert readable_paths.program_path("cargo", "/") == str(proxies / "cargo")
    assert len(asked(home)) == 1


def test_what_lies_beside_rustup_is_no_proxy(home: Path) -> None:
    other = program(home / ".cargo" / "bin" / "cargo-khiva", "#!/bin/sh\n")
    assert readable_paths.program_path("cargo-khiva", "/") == str(other)
    assert readable_paths.program_path("rustup", "/") == str(other.with_name("rustup"))


def test_a_proxy_with_nothing_behind_it_is_said_so(home: Path) -> None:
    assert readable_paths.program_path("miri", "/") is None
    with pytest.raises(
        FileNotFoundError,
        match=r"\.cargo/bin/miri " + "is rustup's, which names no miri .*: error: no default",
    ):
        cell(Command(("miri",), "/"), Sandbox(Level.TRUSTED), "test")


@KEEPING
def test_a_build_runs_the_toolchain_behind_the_proxy(
    level: Level, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(home.parent / "cache"))
    (tmp_path / "bot.toml").write_text('name = "built"\nrun = "./bot"\nbuild = "cargo build"\n')
    staged = Path(stage(load(str(tmp_path)), level).folder)
    assert (staged / "bot").read_text() == "#!/bin/sh\nexec sleep 60\n"


@pytest.mark.usefixtures("basic")
@pytest.mark.skipif(
    os.geteuid() != 0, reason="only root's bots are " + sentence("sandbox", "users-their-own")
)
def test_a_toolchain_in_a_home_closed_to_others_is_named(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.chmod(0o700)
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(home.parent / "cache"))
    (tmp_path / "bot.toml").write_text('name = "built"\nrun = "./bot"\nbuild = "cargo build"\n')
    with pytest.raises(
        BotError,
        match=rf"may not pass {home} to get at {home}/\.rustup/toolchains/stable/bin/cargo; play "
        r"as",
    ):
        stage(load(str(tmp_path)), Level.BASIC)


@pytest.mark.parametrize("root", ["sdk/go1.26.8", "go/sdk/go1.26.8"])
def test_a_go_in_a_home_can_be_read_whole(
    root: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = program(home / root / "bin" / "go", "#!/bin/sh\n")
    (home / root / "lib").mkdir()
    monkeypatch.setenv("PATH", str(go.parent))
    assert readable_paths.program_path("go", "/") == str(go)
    assert readable_paths.toolchain(str(go)) == (str(home / root),)


def test_what_else_of_the_system_is_on_our_path_is_found_inside(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(
        "PATH",
        "/opt/bin:/usr/local/go/bin:/root/bin:tools:/usr/bin:/usr/../home/x:/usr/local/go/bin/",
    )
    assert (
        readable_paths.search_path("/usr/bin/env")
        == f"{readable_paths.BARE_PATH}:/usr/local/go/bin"
    )
    assert (
        readable_paths.search_path("/opt/sdk/bin/x")
        == f"/opt/sdk/bin:{readable_paths.BARE_PATH}:/usr/local/go/bin"
    )
