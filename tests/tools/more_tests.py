"""The tests once more: with the oldest packages, with other versions of the VM, on
other machines, or with more matches.
"""

import argparse
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
VENV = ROOT / ".venv"
INSTALL = ("install", "--quiet", "--disable-pip-version-check", "--no-compile")
BOUNDED = re.compile(r"([A-Za-z_-]+)>=([0-9.]+)")
"""A requirement that names the oldest version that is allowed."""


def project() -> Mapping[str, Any]:
    """Return what pyproject.toml says of the project."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def run(*words: str | Path, **environment: str) -> None:
    """Run a program in the checkout. Raises CalledProcessError if it fails."""
    subprocess.run(words, cwd=ROOT, env={**os.environ, **environment}, check=True)


def pytest(*words: str, python: str | Path = sys.executable, **environment: str) -> None:
    run(python, "-m", "pytest", "-q", *words, **environment)


def made(place: Path, python: str = sys.executable) -> Path:
    """Return the Python of a virtual environment, made if it is missing."""
    if not place.exists():
        run(python, "-m", "venv", place)
    return place / "bin" / "python"


def bounds() -> list[str]:
    """Return the oldest version of each package that pyproject.toml allows, as pip's
    constraints.
    """
    found = project()
    named = [
        *found["dependencies"],
        *(one for extra in found["optional-dependencies"].values() for one in extra),
    ]
    return sorted(
        {f"{bounded[1]}=={bounded[2]}" for one in named if (bounded := BOUNDED.match(one))}
    )


def oldest(_: argparse.Namespace) -> None:
    """Run the tests of make test on the oldest packages that pyproject.toml allows."""
    (VENV / "oldest.txt").write_text("\n".join(bounds()))
    python = made(VENV / "oldest")
    run(python, "-m", "pip", *INSTALL, "-c", VENV / "oldest.txt", "-e", ".[test]")
    pytest(
        "-n",
        "4",
        "--dist",
        "loadgroup",
        "-m",
        "not soak and not language and not long",
        python=python,
    )


def fairness(_: argparse.Namespace) -> None:
    """Play 100 matches a level of a bot of two threads beside one that makes itself
    wait: it may not forfeit.
    """
    pytest(
        "-n",
        "4",
        "--dist",
        "loadgroup",
        "-m",
        "soak",
        "-k",
        "two_threads",
        "tests/arbiter/test_hogs.py",
        PARTS="10",
    )


def virtual_machine(_: argparse.Namespace) -> None:
    """Run the tests of isolation strict in a virtual machine with cgroup v2."""
    words = ("-p", "no:cacheprovider", "-k", "strict or cgroup")
    files = ("tests/bots/sandbox/test_cgroup.py", "tests/bots/sandbox/test_isolation.py")
    run("tests/vm/run.sh", sys.executable, "-m", "pytest", "-q", *words, *files)


def vms() -> tuple[str, str]:
    """Return the requirement of the VM, as pyproject.toml has it, and that of its
    oldest version.
    """
    (newest,) = project()["optional-dependencies"]["modules"]
    return newest, re.sub(r">=(\d+).*", r"==\1.*", newest)


def oldest_vm() -> Path:
    """Return the folder of the oldest version of the VM that is allowed; .venv has the
    newest.
    """
    place = VENV / "oldest-vm"
    run(
        sys.executable, "-m", "pip", *INSTALL, "--upgrade", "--no-deps", "--target", place, vms()[1]
    )
    return place


def modules_oldest(_: argparse.Namespace) -> None:
    """Play matches of modules on their oldest VM and the newest, which have to come out
    equal.
    """
    pytest("tests/bots/modules/test_equal.py", "-k", "other_versions", OTHER_VMS=str(oldest_vm()))


def modules_soak(options: argparse.Namespace) -> None:
    """Play, forge and overhear matches of modules and of bots in JavaScript, also on
    their oldest VM and on Node's.
    """
    files = (
        "tests/bots/modules/test_equal.py",
        "tests/bots/modules/test_channels.py",
        "tests/competition/audit/test_forgeries.py",
    )
    counts = dict.fromkeys(("MATCHES", "FORGERIES", "TRIES"), str(options.times))
    pytest(
        "-n",
        "2",
        "--dist",
        "loadgroup",
        "-o",
        "faulthandler_timeout=0",
        *files,
        OTHER_VMS=str(oldest_vm()),
        **counts,
    )


def arm64() -> Path:
    """Return a folder with Debian's Python for ARM64, with all that it needs, and
    wheels of the VM; apt's lists are its own.
    """
    place = VENV / "arm64"
    if (done := place / "done").exists():
        return place
    for name in ("lists/partial", "archives/partial"):
        (place / "apt" / name).mkdir(parents=True, exist_ok=True)
    (place / "apt" / "status").touch()
    state = (f"State={place}/apt", f"State::status={place}/apt/status", f"Cache={place}/apt")
    given = (
        "APT::Architecture=arm64",
        "APT::Architectures=arm64",
        *(f"Dir::{word}" for word in state),
    )
    apt = ("apt-get", "-qq", *(word for one in given for word in ("-o", one)))
    run(*apt, "update")
    run(
        *apt,
        "install",
        "--download-only",
        "-y",
        "--no-install-recommends",
        "python3-minimal",
        "libpython3-stdlib",
    )
    for package in sorted((place / "apt" / "archives").glob("*.deb")):
        run("dpkg-deb", "-x", package, place)
    if not (place / "lib").exists():
        (place / "lib").symlink_to("usr/lib")
    wheel = ("--upgrade", "--no-deps", "--only-binary=:all:", "--platform", "manylinux2014_aarch64")
    for name, requirement in zip(("newest-vm", "oldest-vm"), vms(), strict=True):
        run(sys.executable, "-m", "pip", *INSTALL, *wheel, "--target", place / name, requirement)
    done.touch()
    return place


def modules_elsewhere(options: argparse.Namespace) -> None:
    """Play matches of modules on emulated ARM64 and in other Pythons, and all vectors
    (needs clang, qemu-user, Debian's apt).
    """
    pythons = [made(VENV / f"python-{name.replace('/', '-')}", name) for name in options.python]
    for python in pythons:
        run(python, "-m", "pip", *INSTALL, "pytest", "-e", ".[modules]")
    chosen = (
        "-o",
        "faulthandler_timeout=0",
        "-k",
        "everywhere or other_pythons or arm64",
        "tests/bots/modules",
    )
    pytest(
        *chosen,
        MATCHES=str(options.times),
        ARM64=str(arm64()),
        OTHER_PYTHONS=" ".join(map(str, pythons)),
    )


KINDS = {
    "oldest": oldest,
    "fairness": fairness,
    "vm": virtual_machine,
    "modules-oldest": modules_oldest,
    "modules-soak": modules_soak,
    "modules-elsewhere": modules_elsewhere,
}
TIMES = {"modules-soak": 1000, "modules-elsewhere": 300}


def main(words: Sequence[str]) -> int:
    """Run the tests of a kind, and return the exit code."""
    parser = argparse.ArgumentParser(prog="", description=__doc__)
    kinds = parser.add_subparsers(required=True)
    for name, function in KINDS.items():
        kind = kinds.add_parser(name, description=function.__doc__)
        kind.set_defaults(function=function)
        if name in TIMES:
            kind.add_argument(
                "--times",
                type=int,
                default=TIMES[name],
                help=f"matches, {TIMES[name]} unless you say so",
            )
        if name == "modules-elsewhere":
            kind.add_argument(
                "--python",
                action="append",
                default=[],
                help="another Python, as python3.12; more than once",
            )
    options = parser.parse_args(words)
    try:
        options.function(options)
    except subprocess.CalledProcessError as failed:
        return failed.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
