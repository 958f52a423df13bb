"""The worker of the page in a browser, without the page's own script around it:
requests go in, and events come out.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from browser import Page
from firefox import Firefox

SECONDS = 600
STARTED = """
const files = {};
for (const block of document.querySelectorAll("script[type='application/base64']")) {
  const text = block.textContent;
  files[block.id] = Uint8Array.fromBase64?.(text) ??
    Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
window.told = [];
window.worker = new Worker(URL.createObjectURL(new Blob([files["worker.js"]],
  { type: "text/javascript" })));
worker.onerror = (event) => { told.push({ kind: "failed", why: event.message });
  document.title = told.length; };
worker.onmessage = ({ data }) => {
  if (data.workbench) told.push(JSON.parse(data.workbench));
  if (data.failed) told.push({ kind: "failed", why: data.failed });
  document.title = told.length; // of which `watch` hears
};
worker.postMessage({ files });
"""


class PageWorker:
    """The worker of a page that is opened in a browser."""

    def __init__(self, browser: Page | Firefox, page: Path) -> None:
        self.browser = browser
        browser.visit(page.as_uri())
        browser.js(STARTED)

    def start(self, language: str, *, rerun: bool = False) -> None:
        """Start the arena and the interpreter. ``rerun``: as a browser does that cannot
        have a module wait.
        """
        self.post({"do": "start", "language": language, "rerun": rerun})
        self.told("started")

    def post(self, request: Mapping[str, Any]) -> None:
        """Ask for something; what was told before is forgotten."""
        self.browser.js(
            "told.length = 0; worker.postMessage({ workbench: arguments[0] })", json.dumps(request)
        )

    def told(self, *kinds: str, number: int = 1) -> list[dict[str, Any]]:
        """Return all that is told until so many events of some kinds have come, or one
        that ends all.
        """
        ends = json.dumps([*kinds])
        last = 'told.some(({ kind }) => kind === "failed" || kind === "refused")'
        script = (
            f"return told.filter(({{ kind }}) => {ends}.includes(kind)).length >= {number} || "
            f"{last}"
        )
        self.browser.watch(script, SECONDS)
        found: list[dict[str, Any]] = self.browser.js("return told")
        assert not [one for one in found if one["kind"] == "failed"], found
        return found
