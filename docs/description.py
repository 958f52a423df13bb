"""The step of hatchling that gives the package its description and its addresses, which
only the project's constant knows.
"""

import runpy
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Description(MetadataHookInterface):
    """Add README.md, whose links hold outside the checkout, and the addresses of the
    project.
    """

    def update(self, metadata: dict[str, Any]) -> None:
        """Fill in ``readme`` and ``urls``."""
        pages = runpy.run_path(str(Path(self.root, "docs", "wheel_pages.py")))
        address = runpy.run_path(str(Path(self.root, "khiva_arena", "common", "address.py")))[
            "ADDRESS"
        ]
        named = {
            "Documentation": address.site,
            "Repository": address.repository,
            "Reports": address.reports,
        }
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": pages["outside"]("README.md"),
        }
        metadata["urls"] = {name: url for name, url in named.items() if url}
