"""``khiva-arena doctor``: what works here, why not more, and the command that would change it."""

import json
import os
from pathlib import Path

import pytest
from arena import arena

from khiva_arena.cli import doctor, main
from khiva_arena.sandbox import detect, remedies
from khiva_arena.sandbox.level import Level
from khiva_arena.sandbox.limits import DEFAULT, WORDS
from khiva_arena.sandbox.selftest import KEPT_OUT

NOTHING: dict[str, list[str]] = {name: [] for name in KEPT_OUT}
EVERYTHING = {name: ["somehow"] for name in KEPT_OUT}
DENIED = "bwrap: setting up uid map: Permission denied"


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main.run(["doctor", *words])
    return code, capsys.readouterr().out


def machine(
    monkeypatch: pytest.MonkeyPatch, why: dict[Level, str], lets: dict[Level, dict[str, list[str]]] | None = None, note: str = ""
) -> None:
    """A machine whose levels are so."""
    found = {Level.TRUSTED: EVERYTHING} | (lets or {})
    monkeypatch.setattr(doctor, "levels", lambda: {level: why.get(level, "") for level in Level})
    monkeypatch.setattr(doctor, "checkup", lambda level: (found.get(level, NOTHING), note if level is Level.BASIC else ""))


def test_as_it_is_here(tmp_path: Path) -> None:
    found = json.loads(arena("doctor", "--json", cwd=tmp_path).stdout)
    assert list(found["levels"]) == list(Level)
    best = found["levels"][found["best"]]
    assert (best["works"], best["why_not"], best["remedy"], best["lets_through"]) == (True, "", "", {})
    assert all(row["works"] or row["why_not"] for row in found["levels"].values())
    assert found["limits"] == {key: getattr(DEFAULT, key) for key in WORDS}
    text = arena("doctor", cwd=tmp_path).stdout
    assert text.startswith(f"bots play at isolation {found['best']} here\n")
    assert all(words in text for words in (*KEPT_OUT.values(), *WORDS.values()))


def test_all_well(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    machine(monkeypatch, {})
    code, out = run(capsys)
    assert code == 0
    assert out.startswith("bots play at isolation strict here\n")
    assert "does not" not in out


def test_nothing_better_than_trusted(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    machine(monkeypatch, dict.fromkeys((Level.STRICT, Level.STANDARD, Level.BASIC), "no"))
    code, out = run(capsys)
    assert (code, out.splitlines()[0]) == (1, "bots play at isolation trusted here")
    code, out = run(capsys, "--json")
    assert (code, json.loads(out)["best"]) == (1, "trusted")


def test_a_level_that_leaks(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    machine(monkeypatch, {}, {Level.STANDARD: NOTHING | {"lock": ["flock", "lease"]}})
    code, out = run(capsys)
    assert code == 1
    assert "standard does not keep out a bot that talks to another bot by a lock: flock, lease\n" in out
    code, out = run(capsys, "--json")
    assert (code, json.loads(out)["levels"]["standard"]["lets_through"]) == (1, {"lock": ["flock", "lease"]})


def test_a_note_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    machine(monkeypatch, {Level.STRICT: "not delegated"}, note="/home/me/python does not run here")
    code, out = run(capsys)
    assert code == 0
    assert "  strict: does not work here: not delegated\n" in out
    assert "  basic: /home/me/python does not run here\n" in out


# --- remedies: exact commands ---


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What the machine's files say; none else is there. An ordinary user asks."""
    said: dict[str, str] = {}
    monkeypatch.setattr(remedies, "_reads", lambda path: said.get(path, ""))
    monkeypatch.setattr(os.path, "exists", lambda path: path in said)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    return said


@pytest.mark.parametrize(
    ("release", "command"),
    [
        ('ID=debian\nVERSION_ID="12"', "sudo apt install bubblewrap"),
        ("ID=ubuntu\nID_LIKE=debian", "sudo apt install bubblewrap"),
        ("ID=fedora", "sudo dnf install bubblewrap"),
        ('ID="rhel"\nID_LIKE="fedora"', "sudo dnf install bubblewrap"),
        ("NAME=Arch\nID=arch", "sudo pacman -S bubblewrap"),
        ("ID=alpine", "sudo apk add bubblewrap"),
        ("ID=unheard-of", "sudo install the package bubblewrap"),
    ],
)
def test_no_bubblewrap(files: dict[str, str], release: str, command: str) -> None:
    files["/etc/os-release"] = release
    assert detect.remedy(Level.STANDARD, "bubblewrap is not installed") == command


def test_root_needs_no_sudo(files: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    files["/etc/os-release"] = "ID=debian"
    assert detect.remedy(Level.STANDARD, "bubblewrap is not installed") == "apt install bubblewrap"
    assert detect.remedy(Level.STANDARD, "util-linux (setpriv) is not installed") == "apt install util-linux"


@pytest.mark.parametrize(
    ("path", "said", "command"),
    [
        (
            "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
            "1",
            "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        ),
        ("/proc/sys/kernel/unprivileged_userns_clone", "0", "sudo sysctl -w kernel.unprivileged_userns_clone=1"),
        ("/proc/sys/user/max_user_namespaces", "0", "sudo sysctl -w user.max_user_namespaces=15000"),
        ("/.dockerenv", "", "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined ..."),
        ("/run/.containerenv", "", "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined ..."),
        ("/proc/sys/user/max_user_namespaces", "96365", ""),
    ],
)
def test_user_namespaces_that_are_refused(files: dict[str, str], path: str, said: str, command: str) -> None:
    files[path] = said
    assert detect.remedy(Level.STANDARD, DENIED) == command


def test_no_remedy_is_made_up(files: dict[str, str]) -> None:
    assert detect.remedy(Level.BASIC, "this kernel has no Landlock") == ""
    assert detect.remedy(Level.TRUSTED, "no") == ""


def test_strict_needs_what_standard_needs(files: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detect, "why_not", lambda level: "bubblewrap is not installed")
    files["/etc/os-release"] = "ID=debian"
    assert detect.remedy(Level.STRICT, "bubblewrap is not installed") == "sudo apt install bubblewrap"


def test_bwrap_that_is_not_on_the_path_is_found_out(tmp_path: Path) -> None:
    """A machine without bubblewrap: its tools, but not that one."""
    for name in ("sh", "true", "setpriv", "prlimit", "python3"):
        (tmp_path / name).symlink_to(f"/usr/bin/{name}")
    done = arena("doctor", "--json", cwd=tmp_path, env={"PATH": str(tmp_path)}, code=None)
    row = json.loads(done.stdout)["levels"]["standard"]
    assert (row["works"], row["why_not"]) == (False, "bubblewrap is not installed")
    assert row["remedy"].endswith("bubblewrap")
