"""The HTML page in a browser, where one is installed: nothing is cut off, and links and folding work."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pullback.tools.cli import main

from ..conftest import CLASS

pytest.importorskip("jinja2")
pytest.importorskip("pygments")

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no browser is installed")

# Measures the page as it is laid out, and writes what it finds where the test reads it.
PROBE = """<script>addEventListener("load", () => {
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  const marks = document.querySelector(".marks").getBoundingClientRect();
  const code = [...document.querySelectorAll(".row span")];
  const glyph = code.find(s => s.textContent.includes("save_for_backward")).getBoundingClientRect();
  const open = [...document.querySelectorAll("details")].map(d => d.open);
  document.title = JSON.stringify({wide, under: marks.top >= glyph.bottom - 1,
    column: Math.abs(marks.left - glyph.left) < 1, seen: marks.width > 0, open});
});</script>"""


def measured(page: Path, width: int, scheme: int) -> str:
    page.with_name("probe.html").write_text(page.read_text().replace("</head>", PROBE + "</head>"))
    done = subprocess.run(
        [
            str(BROWSER),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            f"--window-size={width},900",
            f"--blink-settings=preferredColorScheme={scheme}",
            f"--user-data-dir={page.parent / 'profile'}",
            "--dump-dom",
            page.with_name("probe.html").as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    found = re.search("<title>(.*?)</title>", done.stdout)
    assert found is not None
    return found[1]


@pytest.mark.parametrize(("width", "scheme"), [(1200, 1), (500, 0)])
def test_the_page_is_laid_out_as_it_should(width: int, scheme: int, folder: Path) -> None:
    (folder / "clean.py").write_text(CLASS.replace("(b, t)", "(a, b)").replace("* t +", "* (a + b) +"))
    assert main(["lint", ".", "--format", "html", "-o", "out.html"]) == 1
    assert measured(folder / "out.html", width, scheme) == (
        '{"wide":0,"under":true,"column":true,"seen":true,"open":[true,false]}'
    )
