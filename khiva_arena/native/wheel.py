"""The step of hatchling that makes parts of a wheel and adds them: headers and programs
in C, which an installation by ``pip install -e`` gets, too, and the pages with links
that hold in an installation.

A release builds wheels for other processors, too: ``KHIVA_ARENA_MACHINE`` names the one
that the compiler of ``CC`` builds for.
"""

import os
import platform
import runpy
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Made(BuildHookInterface[Any]):
    """Add programs and pages to a wheel. One with programs is for one processor;
    without a compiler it is for all of them.
    """

    pages = ""
    """The folder of the pages while a wheel is built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build programs and pages. ``version``: editable if the programs are to lie
        beside their sources, else of a wheel.
        """
        tools = runpy.run_path(str(Path(self.root, "khiva_arena", "native", "build.py")))
        tools["write_headers"]()
        named = os.environ.get("KHIVA_ARENA_MACHINE", "")
        machine = named or platform.machine()
        paths = [path for name in tools["PROGRAMS"] if (path := tools["build"](name, machine))]
        if named and len(paths) < len(tools["PROGRAMS"]):
            raise SystemExit(f"a wheel for {named} has to have its programs in C")
        if paths and version != "editable":
            # The program is static, and the library names no C library: both need
            # nothing of a system but what all have.
            systems = ".".join(
                f"{system}_{machine}"
                for system in ("manylinux_2_17", "manylinux2014", "musllinux_1_1")
            )
            build_data["tag"] = f"py3-none-{systems}"
            build_data["artifacts"] += [str(Path(path).relative_to(self.root)) for path in paths]
        if version != "editable":
            self.pages = tempfile.mkdtemp(prefix="khiva-pages-")
            self._add_pages(build_data["force_include"])

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the pages once the wheel is written."""
        if self.pages:
            shutil.rmtree(self.pages)

    def _add_pages(self, included: dict[str, str]) -> None:
        """Write each page with the links that it has in a wheel, and name it with its
        place there.
        """
        tools = runpy.run_path(str(Path(self.root, "docs", "wheel_pages.py")))
        for page in tools["pages"]():
            made = Path(self.pages, page)
            made.parent.mkdir(parents=True, exist_ok=True)
            made.write_text(tools["in_wheel"](page), "utf-8")
            included[str(made)] = tools["place"](page)
        for file in tools["BESIDE"]:
            included[str(Path(self.root, file))] = tools["place"](file)
