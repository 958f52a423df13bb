"""The exact commands that give a machine what a level needs."""

import os
import shutil
from pathlib import Path

from khiva_arena.sandbox import cgroup

INSTALL = {"debian": "apt install", "fedora": "dnf install", "arch": "pacman -S", "alpine": "apk add", "suse": "zypper install"}

ELSEWHERE = "run it in a virtual machine or a container with Linux, which docs/docker.md describes"


def of_control_groups() -> str:
    """What gives the arbiter a control group to share out; "" where nothing is known."""
    if shutil.which("systemd-run") and Path("/run/systemd/system").exists():
        user = "" if os.geteuid() == 0 else " --user"
        return f"systemd-run{user} --scope -p Delegate=yes -- khiva-arena run ..."
    if "memory" not in _reads("/sys/fs/cgroup/cgroup.controllers"):
        return "boot with cgroup_no_v1=all on the kernel's command line, and mount -t cgroup2 cgroup2 /sys/fs/cgroup"
    leaf = f"/sys/fs/cgroup/khiva-arena/{cgroup.ARBITERS}"
    hand_on = 'echo "+memory +pids" > /sys/fs/cgroup/cgroup.subtree_control'
    enter = f"{hand_on}; mkdir -p {leaf} && echo 0 > {leaf}/cgroup.procs && exec khiva-arena run ..."
    return f"sh -c '{enter}'" if os.geteuid() == 0 else ""


def of_bubblewrap(why: str) -> str:
    """What lets bubblewrap make namespaces, which it cannot as ``why`` says; "" where nothing is known."""
    for package in ("bubblewrap", "util-linux"):
        if why.startswith(package):
            return f"{'' if os.geteuid() == 0 else 'sudo '}{_install()} {package}"
    if _reads("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1":
        return "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
    if _reads("/proc/sys/kernel/unprivileged_userns_clone") == "0":
        return "sudo sysctl -w kernel.unprivileged_userns_clone=1"
    if _reads("/proc/sys/user/max_user_namespaces") == "0":
        return "sudo sysctl -w user.max_user_namespaces=15000"
    if os.path.exists("/.dockerenv") or os.path.exists("/run/.containerenv"):
        return "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined ..."
    return ""


def _install() -> str:
    words = (_reads("/etc/os-release") + "\n").replace('"', "").splitlines()
    like = " ".join(line.partition("=")[2] for line in words if line.startswith(("ID=", "ID_LIKE=")))
    return next((command for name, command in INSTALL.items() if name in like), "install the package")


def _reads(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""
