"""Peculiarities of Linux inside Windows; docs/install.md has the details."""

import os
from pathlib import Path

OF_WINDOWS = ("9p", "drvfs", "virtiofs")
"""File systems by which Windows lends its disks."""
MOUNTS = "/proc/self/mountinfo"
SYSTEMD = "printf '[boot]\\nsystemd=true\\n' | sudo tee -a /etc/wsl.conf && wsl.exe --shutdown"
SECOND = "wsl.exe --set-version NAME 2, with the NAME that `wsl.exe --list` shows"
ONLY_V2 = (
    r"put kernelCommandLine=cgroup_no_v1=all below [wsl2] into %UserProfile%\.wslconfig, then "
    r"wsl.exe --shutdown"
)


def version() -> int:
    """Return 1 or 2 inside Windows, else 0. The kernel of version 1, which calls itself
    Microsoft's, is not Linux.
    """
    release = os.uname().release
    return 1 if release.endswith("-Microsoft") else 2 if "microsoft" in release.lower() else 0


def notes(folder: Path) -> list[str]:
    """Return notes on this machine, and on a folder that is to hold results."""
    if version() == 1:
        return [f"This is WSL 1, which has no Linux kernel and so no sandbox; try: {SECOND}"]
    if version() == 2 and (kind := _file_system(folder)) in OF_WINDOWS:
        return [
            (
                f"{folder} is on a disk of Windows ({kind}), where stores are slow and may "
                "fail; keep them in your Linux home"
            )
        ]
    return []


def _file_system(folder: Path) -> str:
    """Return the type of the file system of a folder, "" if that is not known."""
    path, types = folder.resolve(), {}
    try:
        lines = Path(MOUNTS).read_text(errors="replace").splitlines()
    except OSError:
        return ""
    for line in lines:
        before, _, after = line.partition(" - ")
        types[Path(before.split()[4].replace("\\040", " "))] = after.split()[0]
    return next((types[above] for above in (path, *path.parents) if above in types), "")
