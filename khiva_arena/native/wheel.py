"""The step of hatchling that builds headers and programs in C for a wheel, and for an installation by ``pip install -e``.

A release builds wheels for other processors, too: ``KHIVA_ARENA_MACHINE`` names the one that the compiler of ``CC`` builds for.
"""

import os
import platform
import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Programs(BuildHookInterface[Any]):
    """Add headers and programs to a wheel, which is then for one processor; without a compiler it is for all of them."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the programs. ``version``: editable if they are to lie beside their sources, else of a wheel."""
        tools = runpy.run_path(str(Path(self.root, "khiva_arena", "native", "build.py")))
        tools["write_headers"]()
        named = os.environ.get("KHIVA_ARENA_MACHINE", "")
        machine = named or platform.machine()
        paths = [path for name in tools["PROGRAMS"] if (path := tools["build"](name, machine))]
        if named and len(paths) < len(tools["PROGRAMS"]):
            raise SystemExit(f"a wheel for {named} has to have its programs in C")
        if paths and version != "editable":
            # The program is static, and the library names no C library: both need nothing of a system but what all have.
            systems = ".".join(f"{system}_{machine}" for system in ("manylinux_2_17", "manylinux2014", "musllinux_1_1"))
            build_data["tag"] = f"py3-none-{systems}"
            build_data["artifacts"] += [str(Path(path).relative_to(self.root)) for path in paths]
