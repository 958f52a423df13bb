"""``khiva-arena doctor``: what works here, why not more, and the command that would
change it.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import ANY

import pytest
from arena import ROOT, arena
from tools import lacks, need
from wording import sentence

from khiva_arena.arbiter import memory_limits
from khiva_arena.bots.sandbox import detect, remedies, wsl
from khiva_arena.bots.sandbox.detect import KEPT_OUT
from khiva_arena.bots.sandbox.level import Level
from khiva_arena.bots.sandbox.limits import DEFAULT, WORDS
from khiva_arena.common.manual import where
from khiva_arena.interface.cli import main
from khiva_arena.interface.commands import doctor

NOTHING: dict[str, list[str]] = {name: [] for name in KEPT_OUT}
EVERYTHING = {name: ["somehow"] for name in KEPT_OUT}
HERE = "here a process may have {mib} MiB (ulimit -v)"
RESTRICTED = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns"
DENIED = "bwrap: setting up uid map: Permission denied"


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main.run(["doctor", *words])
    return code, capsys.readouterr().out


def machine(
    monkeypatch: pytest.MonkeyPatch,
    why: dict[Level, str],
    lets: dict[Level, dict[str, list[str]]] | None = None,
    note: str = "",
) -> None:
    """A machine whose levels are so."""
    found = {Level.TRUSTED: EVERYTHING} | (lets or {})
    monkeypatch.setattr(doctor, "levels", lambda: {level: why.get(level, "") for level in Level})
    monkeypatch.setattr(
        doctor,
        "checkup",
        lambda level: (found.get(level, NOTHING), note if level is Level.BASIC else ""),
    )


def test_as_it_is_here(tmp_path: Path) -> None:
    found = json.loads(arena("doctor", "--json", cwd=tmp_path, code=None).stdout)
    assert list(found["levels"]) == list(Level)
    best = found["levels"][found["best"]]
    assert (best["works"], best["why_not"], best["remedy"]) == (True, "", "")
    assert best["lets_through"] == {} or found["best"] == "trusted"
    assert all(row["works"] or row["why_not"] for row in found["levels"].values())
    assert found["address_space"]["of_a_table"]["2"] == memory_limits.of_a_runner(2)
    assert found["limits"] == {key: getattr(DEFAULT, key) for key in WORDS}
    text = arena("doctor", cwd=tmp_path, code=int(found["best"] == "trusted")).stdout
    rights = sentence("doctor", "with-all-rights") if found["best"] == "trusted" else ""
    assert text.startswith(
        sentence("doctor", "bots-play-isolation-here", best=found["best"]) + rights + "\n"
    )
    assert all(words in text for words in (*KEPT_OUT.values(), *WORDS.values()))


def test_each_line_for_people_has_a_key_in_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    machine(monkeypatch, {})
    monkeypatch.setattr(
        doctor, "_rows", lambda *_: [doctor.DoctorRow("weather", "fine", ["the sun", "shines"])]
    )
    assert run(capsys)[1].splitlines()[:-1] == ["the sun", "shines"], (
        "a finding is printed that is no row"
    )
    assert json.loads(run(capsys, "--json")[1]) == {"v": 1, "sentence": ANY, "weather": "fine"}


@pytest.mark.parametrize(
    ("limit", "line"),
    [
        (None, "here it is not limited"),
        (2441, HERE.format(mib="2,441") + ": enough for 8 seats with little code"),
        (500, HERE.format(mib="500") + ": too little for two seats"),
    ],
)
def test_address_space_of_tables_of_modules(
    limit: int | None,
    line: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    machine(monkeypatch, {})
    monkeypatch.setattr(doctor.module_runner, "library", lambda: "a library")
    monkeypatch.setattr(doctor, "version", lambda _: "50")
    monkeypatch.setattr(memory_limits, "space_limit", lambda: limit and limit << 20)
    out = run(capsys)[1].splitlines()
    at = out.index(f"  {line}")
    needed = [-(-memory_limits.of_a_runner(seats) // 2**20) for seats in (2, 5)]
    assert f": {needed[0]} MiB for 2 seats, " in out[at - 1]
    assert f" {needed[1]:,} MiB for 5 seats, " in out[at - 1]


@pytest.mark.parametrize("limit", [None, 292])
def test_a_limit_of_memory_is_named_with_what_modules_need(
    limit: int | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    machine(monkeypatch, {})
    monkeypatch.setattr(doctor.module_runner, "library", lambda: "a library")
    monkeypatch.setattr(doctor, "version", lambda _: "50")
    monkeypatch.setattr(memory_limits, "data_limit", lambda: limit and limit << 20)
    assert (sentence("doctor", "memory-here", mib="292") in run(capsys)[1]) is (limit is not None)
    assert json.loads(run(capsys, "--json")[1])["memory"]["limit"] == (limit and limit << 20)


def test_all_well(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    machine(monkeypatch, {})
    code, out = run(capsys)
    assert code == 0
    assert out.startswith(sentence("doctor", "bots-play-isolation-here", best="strict") + "\n")
    assert "does not" not in out


@pytest.mark.parametrize("library", ["", "/somewhere/libwasmtime.so"])
def test_whether_bots_may_be_modules_is_told(
    library: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    machine(monkeypatch, {Level.STRICT: "not delegated"})
    monkeypatch.setattr(doctor.module_runner, "library", lambda: library)
    monkeypatch.setattr(doctor, "version", {"wasmtime": "50.0.1"}.__getitem__)
    out = run(capsys)[1]
    line = sentence("doctor", "modules-in-ticks", version="50.0.1", level="standard")
    assert (line in out, sentence("entrants", "modules-need-vm") in out) == (
        bool(library),
        not library,
    )


def test_nothing_better_than_trusted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    machine(monkeypatch, dict.fromkeys((Level.STRICT, Level.STANDARD, Level.BASIC), "no"))
    code, out = run(capsys)
    first = sentence("doctor", "bots-play-isolation-here", best="trusted") + sentence(
        "doctor", "with-all-rights"
    )
    assert (code, out.splitlines()[0]) == (1, first)
    code, out = run(capsys, "--json")
    assert (code, json.loads(out)["best"]) == (1, "trusted")


def test_a_level_that_leaks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    machine(monkeypatch, {}, {Level.STANDARD: NOTHING | {"lock": ["flock", "lease"]}})
    code, out = run(capsys)
    assert code == 1
    assert (
        "standard does not keep out a bot that"
        + " "
        + "talks to another bot through a lock"
        + ": flock, lease\n"
        in out
    )
    code, out = run(capsys, "--json")
    assert (code, json.loads(out)["levels"]["standard"]["lets_through"]) == (
        1,
        {"lock": ["flock", "lease"]},
    )


def test_a_note_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    machine(
        monkeypatch,
        {Level.STRICT: "not delegated"},
        note="/home/me/python " + sentence("sandbox", "not-run-here"),
    )
    code, out = run(capsys)
    assert code == 0
    assert "  " + sentence("doctor", "not-work-here", level="strict") + ": not delegated\n" in out
    assert "  basic: /home/me/python " + sentence("sandbox", "not-run-here") + "\n" in out


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
        ('ID=linuxmint\nID_LIKE="ubuntu debian"', "sudo apt install bubblewrap"),
        ("ID='opensuse-leap'\nID_LIKE='suse opensuse'", "sudo zypper install bubblewrap"),
        ("ID=archetype", f"install bubblewrap, see {where('install')}"),
    ],
)
def test_no_bubblewrap(files: dict[str, str], release: str, command: str) -> None:
    files["/etc/os-release"] = release
    assert detect.remedy(Level.STANDARD, "bubblewrap is not installed") == command


def test_root_needs_no_sudo(files: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    files["/etc/os-release"] = "ID=debian"
    assert detect.remedy(Level.STANDARD, "bubblewrap is not installed") == "apt install bubblewrap"
    assert (
        detect.remedy(Level.STANDARD, "util-linux (setpriv) is not installed")
        == "apt install util-linux"
    )


@pytest.mark.parametrize(
    ("path", "said", "command"),
    [
        (
            "/proc/sys/kernel/unprivileged_userns_clone",
            "0",
            "sudo sysctl -w kernel.unprivileged_userns_clone=1",
        ),
        (
            "/proc/sys/user/max_user_namespaces",
            "0",
            "sudo sysctl -w user.max_user_namespaces=15000",
        ),
        ("/proc/sys/user/max_user_namespaces", "96365", ""),
    ],
)
def test_user_namespaces_that_are_refused(
    files: dict[str, str], path: str, said: str, command: str
) -> None:
    files[path] = said
    assert detect.remedy(Level.STANDARD, DENIED) == command


# --- containers ---


@pytest.mark.parametrize(
    ("file", "command"),
    [
        (
            "/.dockerenv",
            (
                "docker run --security-opt seccomp=unconfined --security-opt "
                "apparmor=unconfined {} ..."
            ),
        ),
        (
            "/run/.containerenv",
            "podman run --security-opt seccomp=unconfined --security-opt label=disable {} ...",
        ),
    ],
)
def test_in_a_container_the_engine_is_told(files: dict[str, str], file: str, command: str) -> None:
    """Whatever the host restricts, and with what makes a new /proc possible; the page
    has the same options.
    """
    files |= {file: "", RESTRICTED: "1"}
    last = (
        "--security-opt systempaths=unconfined" if "docker" in file else "--security-opt unmask=ALL"
    )
    said = detect.remedy(Level.STANDARD, DENIED)
    assert said == command.format(last)
    page = (ROOT / "docs" / "install.md").read_text()
    assert [word for word in said.split() if "=" in word and word not in page] == []


def test_a_proc_that_is_partly_read_only_keeps_bubblewrap_from_making_one() -> None:
    """What the page says of Docker, tried without it: /proc as Docker has it, and
    bubblewrap as an ordinary user runs it.
    """
    if os.geteuid() != 0:
        lacks("only root can make a part of /proc read-only", may=True)
    for tool in ("unshare", "setpriv", "bwrap"):
        need(tool)
    inside = "bwrap --unshare-user --unshare-pid --ro-bind / / --proc /proc --dev /dev true"
    bwrap = f"exec setpriv --reuid 12345 --regid 12345 --clear-groups {inside}"
    as_docker = "mount --bind /proc/sys /proc/sys; mount -o remount,bind,ro /proc/sys"
    for mounts, code, said in (("true", 0, ""), (as_docker, 1, "Can't mount proc")):
        words = ["unshare", "--mount", "sh", "-c", f"{mounts}; {bwrap}"]
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
        assert (done.returncode, said in done.stderr) == (code, True), done.stderr


# --- Ubuntu: docs/install.md ---


def test_ubuntu_lets_bubblewrap_alone_make_namespaces(files: dict[str, str]) -> None:
    """And not everybody, as the setting of the kernel would."""
    files |= {RESTRICTED: "1", "/usr/bin/bwrap": ""}
    said = detect.remedy(Level.STANDARD, DENIED)
    installed = "/etc/apparmor.d/khiva-arena-bwrap"
    assert (
        said == f"sudo install -m 644 {remedies.PROFILE} {installed} && sudo apparmor_parser -r "
        f"{installed}"
    )
    assert "sysctl" not in said


def test_the_profile_is_one_file(files: dict[str, str]) -> None:
    """That the page shows, that doctor names, and that is in the package."""
    files |= {RESTRICTED: "1", "/usr/bin/bwrap": ""}
    page = (ROOT / "docs" / "install.md").read_text()
    assert f"```\n{remedies.PROFILE.read_text()}```" in page
    said = detect.remedy(Level.STANDARD, DENIED).replace(f"{ROOT}/", "")
    assert all(f"{command}\n" in page for command in said.split(" && "))
    assert remedies.PROFILE.is_file()
    rules = [
        line.strip() for line in remedies.PROFILE.read_text().splitlines() if line.startswith("  ")
    ]
    assert rules == ["userns,", "include if exists <local/khiva-arena-bwrap>"]
    assert f" {remedies.BUBBLEWRAP} flags=(unconfined) {{" in remedies.PROFILE.read_text()


@pytest.mark.parametrize("name", ["bwrap-userns-restrict", "bwrap", "khiva-arena-bwrap"])
def test_a_profile_that_is_there_is_loaded(files: dict[str, str], name: str) -> None:
    """Two for one program would be in each other's way."""
    files |= {RESTRICTED: "1", "/usr/bin/bwrap": "", f"/etc/apparmor.d/{name}": ""}
    assert (
        detect.remedy(Level.STANDARD, DENIED) == f"sudo apparmor_parser -r /etc/apparmor.d/{name}"
    )


def test_a_profile_does_not_hold_for_a_bubblewrap_from_elsewhere(files: dict[str, str]) -> None:
    files |= {RESTRICTED: "1", "/etc/os-release": "ID=ubuntu\nID_LIKE=debian"}
    assert detect.remedy(Level.STANDARD, DENIED) == "sudo apt install bubblewrap"


# --- WSL: docs/install.md ---


def kernel(monkeypatch: pytest.MonkeyPatch, release: str) -> None:
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(release=release, machine="x86_64"))


@pytest.mark.parametrize(
    ("release", "version"),
    [
        ("4.4.0-22621-Microsoft", 1),
        ("4.19.104-microsoft-standard", 2),
        ("6.6.87.2-microsoft-standard-WSL2", 2),
        ("6.8.0-35-generic", 0),
    ],
)
def test_windows_is_told_from_linux(
    monkeypatch: pytest.MonkeyPatch, release: str, version: int
) -> None:
    kernel(monkeypatch, release)
    assert wsl.version() == version


def test_wsl_is_told_what_gives_control_groups(
    files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel(monkeypatch, "6.6.87.2-microsoft-standard-WSL2")
    monkeypatch.setattr(detect, "why_not", lambda level: "")
    first = detect.remedy(Level.STRICT, "no cgroup")
    assert "cgroup_no_v1=all" in first
    files["/sys/fs/cgroup/cgroup.controllers"] = "cpu memory pids"
    second = detect.remedy(Level.STRICT, "no cgroup")
    assert "systemd=true" in second
    files["/run/systemd/system"] = ""
    assert detect.remedy(Level.STRICT, "no cgroup") not in (first, second)
    page = " ".join((ROOT / "docs" / "install.md").read_text().split())
    assert all(
        word in page
        for word in (
            "cgroup_no_v1=all",
            "systemd=true",
            "wsl.exe --shutdown",
            "wsl.exe --set-version",
        )
    )


MOUNTS = (
    "24 1 8:32 / / rw,relatime - ext4 /dev/sdc rw\n"
    "60 24 0:40 / /mnt/c rw,noatime - 9p C:\\134 rw,aname=drvfs;path=C:\\;uid=1000\n"
    "61 60 8:48 / /mnt/c/linux\\040disk rw - ext4 /dev/sdd rw\n"
)


def test_a_folder_on_a_disk_of_windows_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "mounts").write_text(MOUNTS)
    monkeypatch.setattr(wsl, "MOUNTS", str(tmp_path / "mounts"))
    kernel(monkeypatch, "6.6.87.2-microsoft-standard-WSL2")
    (said,) = wsl.notes(Path("/mnt/c/Users/me"))
    assert said.startswith("/mnt/c/Users/me is on a disk of Windows (9p)")
    assert [wsl.notes(Path(folder)) for folder in ("/home/me", "/mnt/c/linux disk/x")] == [[], []]
    kernel(monkeypatch, "6.8.0-35-generic")
    assert wsl.notes(Path("/mnt/c/Users/me")) == []
    kernel(monkeypatch, "4.4.0-22621-Microsoft")
    assert "WSL 1" in wsl.notes(Path("/home/me"))[0]


def test_what_systemd_cannot_hand_on_is_to_be_switched_on_first(
    files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In its hybrid version 1 holds the memory controller, and elsewhere it may be
    off.
    """
    kernel(monkeypatch, "5.10.0-35-amd64")
    monkeypatch.setattr(detect, "why_not", lambda level: "")
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    files["/run/systemd/system"] = ""
    said = []
    for controllers in (None, "cpuset cpu io pids", "cpuset cpu io memory pids"):
        files |= {} if controllers is None else {remedies.CONTROLLERS: controllers}
        said.append(detect.remedy(Level.STRICT, "no cgroup"))
    assert said == [
        sentence("sandbox", "boot-kernels-command-line", word="systemd.unified_cgroup_hierarchy=1"),
        sentence("sandbox", "boot-kernels-command-line", word="cgroup_enable=memory"),
        "systemd-run --user --scope -p Delegate=yes -- khiva-arena run ...",
    ]


def test_notes_are_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    machine(monkeypatch, {})
    monkeypatch.setattr(wsl, "notes", lambda folder: [f"of {folder.name}"])
    assert f"\nof {Path.cwd().name}\n" in run(capsys)[1]
    assert json.loads(run(capsys, "--json")[1])["notes"] == [f"of {Path.cwd().name}"]


def test_no_remedy_is_made_up(files: dict[str, str]) -> None:
    assert detect.remedy(Level.BASIC, sentence("sandbox", "kernel-no-landlock")) == ""
    assert detect.remedy(Level.TRUSTED, "no") == ""


def test_strict_needs_what_standard_needs(
    files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(detect, "why_not", lambda level: "bubblewrap is not installed")
    files["/etc/os-release"] = "ID=debian"
    assert (
        detect.remedy(Level.STRICT, "bubblewrap is not installed") == "sudo apt install bubblewrap"
    )


def test_bwrap_that_is_not_on_the_path_is_found_out(tmp_path: Path) -> None:
    """A machine without bubblewrap: its tools, but not that one."""
    for name in ("sh", "true", "setpriv", "prlimit", "python3"):
        (tmp_path / name).symlink_to(f"/usr/bin/{name}")
    done = arena("doctor", "--json", cwd=tmp_path, env={"PATH": str(tmp_path)}, code=None)
    row = json.loads(done.stdout)["levels"]["standard"]
    assert (row["works"], row["why_not"]) == (False, "bubblewrap is not installed")
    assert row["remedy"].endswith("bubblewrap")
