"""Build what a release is from the commit that is checked out, twice, and put it into
dist/ if both came out the same.

The bytes follow from the commit and from the tools that pyproject.toml and release.txt
pin for a release: one compiler for every processor, and one time, that of the commit.
So whoever builds the same commit gets the same hashes, on whatever system.
"""

import argparse
import base64
import hashlib
import json
import os
import platform
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from khiva_arena.common.address import ADDRESS, Address
from khiva_arena.display.page.released import HASH

ROOT = Path(__file__).resolve().parents[1]
MACHINES = ("x86_64", "aarch64")
DIST = ROOT / "dist"
MADE = ROOT / "interpreters" / "build"
RUNTIME = MADE / "page-runtime.tar"
SECONDS = 1800
WITHIN = {"LICENSE.musl": "lib/libc/musl/COPYRIGHT", "LICENSE.zig": "LICENSE"}
"""The licences of what is linked into the programs in C, by their names in a wheel, and
where the compiler has them.
"""

PARTS = {
    "toolchain": "linked into the programs in C of the wheels, and into the interpreters",
    "javascript": (
        "the interpreter of JavaScript in ticks, in khiva-arena.html and a wheel; the hash is "
        "its source's"
    ),
    "python": (
        "the interpreter of Python in ticks, in khiva-arena.html and a wheel; the hash is its "
        "source's"
    ),
    "page": "within khiva-arena.html",
    "editor": "within khiva-arena.html, in its editor; the hash is that of npm's package",
}
"""Where the parts of a release are that no package of Python brings, as its bill of
materials says it.
"""
NAMES_ADDRESS = {"README.md": ("site", "repository"), "SECURITY.md": ("site", "reports")}
"""The fields of the address that a page for readers outside the checkout has to
name.
"""


class NotBuiltError(Exception):
    """A release cannot be built, or came out differently the second time; the text says
    why and what to do.
    """


def main() -> int:
    """Build a release, print what it holds, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--unreleased",
        action="store_true",
        help="build code that has no release's version, as CI does to try this",
    )
    parser.add_argument(
        "--without-address",
        action="store_true",
        help="build although khiva_arena/common/address.py names no address, as CI does",
    )
    flags = parser.parse_args()
    try:
        check_version(
            tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"],
            unreleased=flags.unreleased,
        )
        check_address(
            ADDRESS,
            {name: (ROOT / name).read_text("utf-8") for name in NAMES_ADDRESS},
            without=flags.without_address,
        )
        check_clean()
        with tempfile.TemporaryDirectory(prefix="khiva-release-") as folder:
            # One for both builds, by pinned hashes: what runs the page, and the
            # interpreters, unless they are there already.
            run([sys.executable, ".ci/page_runtime.py", str(RUNTIME)], ROOT)
            run([sys.executable, "interpreters/build.py", "--missing"], ROOT)
            first, second = (build(Path(folder, which)) for which in ("first", "second"))
            compare(sums(first), sums(second))
            shutil.rmtree(DIST, ignore_errors=True)
            shutil.copytree(first, DIST)
            listed = sums(DIST)
            (DIST / "SHA256SUMS").write_text(
                "".join(f"{digest}  {name}\n" for name, digest in listed.items()), "utf-8"
            )
            list_dependencies(Path(folder, "installed"))
    except NotBuiltError as error:
        print(error, file=sys.stderr)
        return 2
    for name, digest in listed.items():
        if "/" not in name:
            print(f"{(DIST / name).stat().st_size:>10}  {digest}  {name}")
    pages = sum("/" in name for name in listed)
    print(
        f"dist/: built twice, the same bytes; {pages} files of the site in dist/docs; "
        "dist/SHA256SUMS has all hashes"
    )
    return 0


def check_version(version: str, *, unreleased: bool) -> None:
    """Raise NotBuiltError for the version of unreleased code, unless such code is to be
    built, too.
    """
    if ".dev" in version and not unreleased:
        raise NotBuiltError(
            f"{version} is the version of unreleased code: write that of the release "
            "first, as RELEASING.md says"
        )


def check_address(address: Address, pages: Mapping[str, str], *, without: bool) -> None:
    """Raise NotBuiltError if a field of the address is empty, unless a release without
    one is asked for, or if a page lacks it.

    pages: the texts of the pages of ``NAMES_ADDRESS``.
    """
    empty = ", ".join(name for name, url in address._asdict().items() if not url)
    if empty and not without:
        raise NotBuiltError(
            f"khiva_arena/common/address.py has no {empty}. Fill that in, or type `make release "
            "WITHOUT_ADDRESS=yes`: messages then name pages by their paths on the user's machine"
        )
    for name, fields in NAMES_ADDRESS.items():
        for field in fields:
            url = getattr(address, field)
            if url not in pages[name]:
                raise NotBuiltError(
                    f"{name} does not name {url}, as khiva_arena/common/address.py does"
                )


def check_clean() -> None:
    """Raise NotBuiltError if the checkout holds anything that its commit does not."""
    changed = run(["git", "status", "--porcelain"], ROOT).strip()
    if changed:
        raise NotBuiltError(
            "a release is a commit, and this checkout has changes; commit or remove them: "
            f"{changed.split()[-1]}"
        )


def run(words: list[str], where: Path, env: Mapping[str, str] = os.environ) -> str:
    """Run a command in a folder and return what it prints. Raises NotBuiltError, with
    its last words, if it fails.
    """
    try:
        done = subprocess.run(
            words, cwd=where, env=env, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotBuiltError(f"{words[0]}: {error}") from None
    if done.returncode:
        raise NotBuiltError(
            f"{shlex.join(words)} ended with {done.returncode}: "
            f"{(done.stderr or done.stdout).strip()[-2000:]}"
        )
    return done.stdout


def build(folder: Path) -> Path:
    """Build a release within a new folder, from the files of the commit alone, and
    return the folder that holds it.
    """
    sources, out = folder / "khiva-arena", folder / "dist"
    sources.mkdir(parents=True)
    out.mkdir()
    archive = folder / "commit.tar"
    run(["git", "archive", "--format=tar", "-o", str(archive), "HEAD"], ROOT)
    with tarfile.open(archive) as opened:
        opened.extractall(sources, filter="data")
    import ziglang

    # Programs in C have musl and parts of the compiler within, whose licences want
    # their texts to go with them.
    for name, file in WITHIN.items():
        shutil.copy(Path(ziglang.__file__).parent / file, sources / name)
    committed = run(["git", "log", "-1", "--format=%ct"], ROOT).strip()
    env = {
        **os.environ,
        "SOURCE_DATE_EPOCH": committed,
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    page = out / "khiva-arena.html"
    run(
        [
            sys.executable,
            "-m",
            "khiva_arena",
            "page",
            "--runtime",
            str(RUNTIME),
            "--out",
            str(page),
        ],
        sources,
        env,
    )
    digest = hashlib.sha256(page.read_bytes()).hexdigest()
    (sources / "khiva_arena" / "display" / "page" / HASH).write_text(
        f"{digest}\n", "ascii"
    )  # in the wheels, and in no checkout
    for machine in MACHINES:
        made_for = {**env, "CC": shlex.join(compiler(machine)), "KHIVA_ARENA_MACHINE": machine}
        run(
            [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)],
            sources,
            made_for,
        )
    run([sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(out)], sources, env)
    check_wheels(out)
    shutil.copytree(MADE / "licences", sources / MADE.relative_to(ROOT) / "licences")
    for module in MADE.glob("*.wasm"):
        shutil.copy(module, sources / MADE.relative_to(ROOT))
    run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)],
        sources / "interpreters",
        env,
    )
    site = [
        sys.executable,
        "-m",
        "sphinx",
        "--fresh-env",
        "--fail-on-warning",
        "--quiet",
        "-d",
        str(folder / "doctrees"),
    ]
    run([*site, "-c", "docs", ".", str(out / "docs")], sources, env)
    (out / "docs" / ".buildinfo").unlink(missing_ok=True)
    pages = runpy.run_path(str(sources / "docs" / "wheel_pages.py"))
    (out / "NOTES.md").write_text(notes(pages["outside"]("CHANGELOG.md")), "utf-8")
    return out


def compiler(machine: str) -> list[str]:
    """Return the pinned compiler for a processor. The headers are named since a library
    without a C library is given none.
    """
    import ziglang

    headers = Path(ziglang.__file__).parent / "lib" / "libc" / "include"
    target = f"{machine}-linux-musl"
    places = [
        word for name in (target, "generic-musl") for word in ("-isystem", str(headers / name))
    ]
    return [sys.executable, "-m", "ziglang", "cc", "-target", target, "-s", *places]


def check_wheels(out: Path) -> None:
    """Raise NotBuiltError if a wheel lacks a licence of what is within."""
    for wheel in out.glob("*.whl"):
        names = {
            Path(name).name for name in zipfile.ZipFile(wheel).namelist() if "/licenses/" in name
        }
        if lacking := ", ".join(sorted({"LICENSE", *WITHIN} - names)):
            raise NotBuiltError(
                f"{wheel.name} lacks {lacking}: see license-files in pyproject.toml"
            )


def list_dependencies(folder: Path) -> None:
    """Install the wheel for this machine in a new folder, with what pages and ticks
    need, and write what that brings, with the texts of licences, as a bill of
    materials. It is that of the day, so it has no hash among those of the release.
    """
    (wheel,) = DIST.glob(f"khiva_arena-*_{platform.machine()}.whl")
    run([sys.executable, "-m", "venv", str(folder)], ROOT)
    run(
        [
            str(folder / "bin" / "pip"),
            "install",
            "--quiet",
            "--find-links",
            str(DIST),
            f"{wheel}[web,ticks]",
        ],
        ROOT,
    )
    tool = [
        str(Path(sys.executable).with_name("cyclonedx-py")),
        "environment",
        "--output-reproducible",
        "--gather-license-texts",
    ]
    bill = DIST / "sbom.cdx.json"
    run([*tool, "--output-file", str(bill), str(folder / "bin" / "python")], ROOT)
    bill.write_text(
        json.dumps(with_parts(json.loads(bill.read_text("utf-8"))), indent=2, sort_keys=True),
        "utf-8",
    )


def with_parts(bill: dict[str, Any]) -> dict[str, Any]:
    """Return a bill of materials with the parts of a release that no package of Python
    brings, and without addresses of folders of the machine that made it.
    """
    for component in bill["components"]:
        kept = [
            one
            for one in component.get("externalReferences", ())
            if not one["url"].startswith("file:")
        ]
        component.pop("externalReferences", None)
        component |= {"externalReferences": kept} if kept else {}
    made = tomllib.loads((ROOT / "interpreters" / "pins.toml").read_text("utf-8"))
    page = tomllib.loads(
        (ROOT / "khiva_arena" / "extensions" / "checker" / "runtime.toml").read_text("utf-8")
    )
    locked = json.loads((ROOT / ".ci" / "editor" / "package-lock.json").read_text("utf-8"))[
        "packages"
    ]
    joined = {
        path.removeprefix("node_modules/"): one
        for path, one in locked.items()
        if path and "esbuild" not in path
    }
    parts = [
        ("zig, with musl and wasi-libc", made["toolchain"]["version"], PARTS["toolchain"], []),
        (
            "quickjs-ng",
            made["javascript"]["version"],
            PARTS["javascript"],
            made["javascript"]["sha256"],
        ),
        ("cpython", made["python"]["version"], PARTS["python"], made["python"]["sha256"]),
        *(
            (name, pin["version"], PARTS["page"], [pin["sha256"]])
            for name, pin in page.items()
            if "version" in pin
        ),
        *(
            (name, one["version"], PARTS["editor"], [_sha512(one["integrity"])])
            for name, one in joined.items()
        ),
    ]
    for name, version, where, digests in parts:
        algorithms = {64: "SHA-256", 128: "SHA-512"}
        hashes = (
            {"hashes": [{"alg": algorithms[len(one)], "content": one} for one in digests]}
            if digests
            else {}
        )
        reference = f"{name}=={version} within"
        within = {
            "bom-ref": reference,
            "type": "library",
            "name": name,
            "version": version,
            "description": where,
        }
        bill["components"].append(within | hashes)
    return bill


def _sha512(integrity: str) -> str:
    """Return the SHA-512 of a package of npm, as its lock file has it, in hexadecimal
    digits.
    """
    return base64.b64decode(integrity.removeprefix("sha512-")).hex()


def notes(changelog: str) -> str:
    """Return the notes of the newest version of a change log. Raises NotBuiltError if
    it has none.
    """
    sections = re.split(r"(?m)^## ", changelog)
    if len(sections) < 2:
        raise NotBuiltError("CHANGELOG.md has no heading of a version: begin one with '## [0.3.0]'")
    return f"# {sections[1].strip()}\n"


def sums(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file in a folder by its path there."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def compare(first: dict[str, str], second: dict[str, str]) -> None:
    """Raise NotBuiltError if two builds differ."""
    differing = sorted({name for name, _ in first.items() ^ second.items()})
    if differing:
        raise NotBuiltError(
            f"two builds of one commit differ in {', '.join(differing[:10])}: find what "
            "varies first"
        )


if __name__ == "__main__":
    sys.exit(main())
