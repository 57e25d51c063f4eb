"""The part of `pullback`'s metadata that says where it is at home: URLs, and links of the long description.

A package index shows the README where its relative links and pictures lead nowhere. Whoever publishes names
the repository's page in PULLBACK_HOME; an sdist carries the result to the wheels that are built from it.
Without it there are no URLs, and the README is as it stands.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from email import message_from_bytes
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
VARIABLE = "PULLBACK_HOME"
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!\w+:|#)([^)]+)\)")


class Provider:
    """What scikit-build-core asks for the dynamic fields."""

    def dynamic_metadata(self, settings: Mapping[str, Any], project: Mapping[str, Any]) -> dict[str, Any]:
        """The URLs and the long description."""
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        home = os.environ.get(VARIABLE, "").rstrip("/") or _of_sdist()
        urls = {}
        if home:
            version = f"v{project['version']}"
            text = absolute(text, home, version)
            urls = {
                "Homepage": home,
                "Documentation": f"{home}/blob/{version}/docs/index.md",
                "Changelog": f"{home}/blob/{version}/CHANGELOG.md",
                "Issues": f"{home}/issues",
            }
        return {"readme": {"content-type": "text/markdown", "text": text}, "urls": urls}


def absolute(text: str, home: str, version: str) -> str:
    """Markdown whose relative links and pictures lead to a version on the home page.

    >>> absolute("![A picture](a.svg), [a page](b.md)", "https://example.org/p", "v1")
    '![A picture](https://example.org/p/raw/v1/a.svg), [a page](https://example.org/p/blob/v1/b.md)'
    """
    return LINK.sub(
        lambda link: f"{link[1]}[{link[2]}]({home}/{'raw' if link[1] else 'blob'}/{version}/{link[3]})", text
    )


def _of_sdist() -> str:
    """The home page that the sdist was made with; empty in a checkout."""
    information = ROOT / "PKG-INFO"
    if not information.is_file():
        return ""
    urls = message_from_bytes(information.read_bytes()).get_all("Project-URL", [])
    return next((url.partition(", ")[2] for url in urls if url.startswith("Homepage, ")), "")
