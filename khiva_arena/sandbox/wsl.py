"""What is particular about Linux inside of Windows: docs/wsl2.md says it at length."""

import os
from pathlib import Path

OF_WINDOWS = ("9p", "drvfs", "virtiofs")
"""File systems by which Windows lends its disks."""
MOUNTS = "/proc/self/mountinfo"
SYSTEMD = "printf '[boot]\\nsystemd=true\\n' | sudo tee -a /etc/wsl.conf && wsl.exe --shutdown"
SECOND = "wsl.exe --set-version NAME 2, with the NAME that `wsl.exe --list` shows"
ONLY_V2 = r"put kernelCommandLine=cgroup_no_v1=all below [wsl2] into %UserProfile%\.wslconfig, then wsl.exe --shutdown"


def version() -> int:
    """1 or 2 inside of Windows, else 0: what calls itself Microsoft's kernel there is none in the first one."""
    release = os.uname().release
    return 1 if release.endswith("-Microsoft") else 2 if "microsoft" in release.lower() else 0


def notes(folder: Path) -> list[str]:
    """What is to be said of this machine, and of a folder in which results would be put."""
    if version() == 1:
        return [f"This is WSL 1, which has no Linux kernel and so no sandbox; try: {SECOND}"]
    if version() == 2 and (kind := _file_system(folder)) in OF_WINDOWS:
        return [f"{folder} is on a disk of Windows ({kind}), where stores are slow and may fail; keep them in your Linux home"]
    return []


def _file_system(folder: Path) -> str:
    """The type of the one that a folder lies on, "" if that is not known."""
    path, found = folder.resolve(), {}
    try:
        lines = Path(MOUNTS).read_text(errors="replace").splitlines()
    except OSError:
        return ""
    for line in lines:
        before, _, after = line.partition(" - ")
        found[Path(before.split()[4].replace("\\040", " "))] = after.split()[0]
    return next((found[above] for above in (path, *path.parents) if above in found), "")
