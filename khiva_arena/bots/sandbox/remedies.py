"""The exact commands that give a machine the means for an isolation level."""

import os
import shlex
import shutil
from pathlib import Path

from khiva_arena.bots.sandbox import cgroup, wsl
from khiva_arena.common.shipped import folder

INSTALL = {
    "debian": "apt install",
    "ubuntu": "apt install",
    "fedora": "dnf install",
    "rhel": "dnf install",
    "arch": "pacman -S",
    "alpine": "apk add",
    "suse": "zypper install",
    "opensuse": "zypper install",
}
"""The command that installs a package, by the name of a system in os-release."""
OS_RELEASE = ("/etc/os-release", "/usr/lib/os-release")
"""The places of the file that describes a Linux system, the first of which that is
there counts: os-release(5).
"""

CONTROLLERS = "/sys/fs/cgroup/cgroup.controllers"
"""The controllers of groups of version 2; not there if version 1 has that place, as in
the hybrid of older systemd.
"""
PROFILE = folder("docs") / "bwrap.apparmor"
"""The AppArmor profile that comes with the arena."""
BUBBLEWRAP = "/usr/bin/bwrap"
"""The program that profiles are for."""
PROFILES = "/etc/apparmor.d"
OTHERS = ("bwrap-userns-restrict", "bwrap")
"""Profiles for bubblewrap by the distribution or somebody else: two for one program
would be in each other's way.
"""
ENGINES = {
    "/.dockerenv": (
        "docker",
        "seccomp=unconfined",
        "apparmor=unconfined",
        "systempaths=unconfined",
    ),
    "/run/.containerenv": ("podman", "seccomp=unconfined", "label=disable", "unmask=ALL"),
}
"""Files by which a container is known, its engine, and the options with which
bubblewrap works inside: docs/install.md.
"""


def elsewhere() -> str:
    """Return what to do on a system that no isolation level is for."""
    from khiva_arena.common.manual import where  # not above: most systems have a level

    return (
        "run it in a virtual machine or a container with Linux: "
        f"{where('install', 'Docker and Podman')}"
    )


def of_control_groups() -> str:
    """Return the command that gives the arbiter a control group of its own; "" if none
    is known.
    """
    if wsl.version() == 2 and (of_windows := _of_wsl()):
        return of_windows
    systemd = shutil.which("systemd-run") and os.path.exists("/run/systemd/system")
    counts_memory = "memory" in _reads(CONTROLLERS)
    if (
        systemd and not counts_memory
    ):  # systemd can hand on the controllers that are there, and no more
        word = (
            "cgroup_enable=memory"
            if os.path.exists(CONTROLLERS)
            else "systemd.unified_cgroup_hierarchy=1"
        )
        return f"boot with {word} on the kernel's command line"
    if systemd:
        user = "" if os.geteuid() == 0 else " --user"
        return f"systemd-run{user} --scope -p Delegate=yes -- khiva-arena run ..."
    if not counts_memory:
        return (
            "boot with cgroup_no_v1=all on the kernel's command line, and mount -t cgroup2 "
            "cgroup2 /sys/fs/cgroup"
        )
    leaf = f"/sys/fs/cgroup/khiva-arena/{cgroup.ARBITERS}"
    hand_on = 'echo "+memory +pids" > /sys/fs/cgroup/cgroup.subtree_control'
    enter = (
        f"{hand_on}; mkdir -p {leaf} && echo 0 > {leaf}/cgroup.procs && exec khiva-arena run ..."
    )
    return f"sh -c '{enter}'" if os.geteuid() == 0 else ""


def of_bubblewrap(why: str) -> str:
    """Return the command that lets bubblewrap make namespaces, if it cannot as ``why``
    says; "" if none is known.
    """
    for package in ("bubblewrap", "util-linux"):
        if why.startswith(package):
            return installation(package)
    for file, (engine, *options) in ENGINES.items():
        if os.path.exists(file):  # the remedies below work only outside of a container
            return f"{engine} run {' '.join(f'--security-opt {option}' for option in options)} ..."
    if _reads("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1":
        return _of_apparmor()
    if _reads("/proc/sys/kernel/unprivileged_userns_clone") == "0":
        return "sudo sysctl -w kernel.unprivileged_userns_clone=1"
    if _reads("/proc/sys/user/max_user_namespaces") == "0":
        return "sudo sysctl -w user.max_user_namespaces=15000"
    return ""


def _of_apparmor() -> str:
    """Return the command for a profile of bubblewrap alone: the restriction stays for
    every other program.
    """
    if not os.path.exists(BUBBLEWRAP):
        return installation(
            "bubblewrap"
        )  # profiles go by paths, and do not hold for one that lies elsewhere
    path = f"{PROFILES}/khiva-arena-bwrap"
    load = f"{_sudo()}apparmor_parser -r"
    profiles = [f"{PROFILES}/{name}" for name in OTHERS if os.path.exists(f"{PROFILES}/{name}")]
    if profiles or os.path.exists(path):
        return f"{load} {(*profiles, path)[0]}"
    return f"{_sudo()}install -m 644 {shlex.quote(str(PROFILE))} {path} && {load} {path}"


def _of_wsl() -> str:
    """Return the setting to make in Windows first; "" if none."""
    if "memory" not in _reads(CONTROLLERS):
        return wsl.ONLY_V2
    return "" if os.path.exists("/run/systemd/system") else wsl.SYSTEMD


def _sudo() -> str:
    return "" if os.geteuid() == 0 else "sudo "


def installation(package: str) -> str:
    """Return the command that installs a package on this system, or the page that says
    how if the system is not known.
    """
    if command := next((INSTALL[name] for name in _names() if name in INSTALL), ""):
        return f"{_sudo()}{command} {package}"
    from khiva_arena.common.manual import where  # not above, as in elsewhere

    return f"install {package}, see {where('install')}"


def _names() -> list[str]:
    """Return the name of this Linux system, then those of the systems that it is
    like.
    """
    text = next(filter(None, map(_reads, OS_RELEASE)), "")
    fields = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    return " ".join(fields.get(key, "").strip("\"'") for key in ("ID", "ID_LIKE")).split()


def _reads(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""
