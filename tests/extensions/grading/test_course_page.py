"""The script for Gradescope on the page of courses, run with folders of this
machine.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from arena import ROOT
from ladders import bot, ladder, secret

PAGE = (ROOT / "docs" / "mark-a-course.md").read_text("utf-8")


def test_the_autograder_of_the_page_writes_results_for_a_bot_and_for_an_empty_folder(
    tmp_path: Path,
) -> None:
    (script,) = [
        text
        for text in re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL)
        if "/autograder/submission" in text
    ]
    place = tmp_path / "autograder"
    for name in ("source", "submission", "results"):
        (place / name).mkdir(parents=True)
    ladder(place / "source" / "course-1")
    secret(place / "source" / "seed.txt").chmod(0o644)  # as an archive unpacks it
    file = tmp_path / "run_autograder"
    file.write_text(script.replace("/autograder/", f"{place}/"))
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"

    def report() -> dict[str, object]:
        subprocess.run(
            ["bash", file],
            check=True,
            env=os.environ | {"PATH": path},
            capture_output=True,
            timeout=120,
        )
        return dict(json.loads((place / "results" / "results.json").read_text()))

    assert "bot.toml" in str(report()["output"])
    (place / "submission").rmdir()
    bot(place / "submission", "raise SystemExit('no, thank you')")
    assert "no, thank you" in str(report()["output"])  # and the earlier report is replaced
