"""The part of `pullback`'s metadata that says where the files of `pullback-lint` come from.

An editable install has these files itself, so it has their requirements and their entry points. A wheel that
is built in a checkout requires the distribution that lies beside it; an sdist and a wheel built from one,
which are what is published, require the one of the same version.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LINT = ROOT / "lint"


class Provider:
    """What scikit-build-core asks for the dynamic fields."""

    def __init__(self) -> None:
        self._editable = self._is_sdist = False

    def build_state(self, state: str) -> None:
        """Called with the state of the build before its fields are asked for."""
        self._editable = state.endswith("editable")
        self._is_sdist = state == "sdist"

    def dynamic_metadata(self, settings: Mapping[str, Any], project: Mapping[str, Any]) -> dict[str, Any]:
        """The requirements and entry points beside those that are written in pyproject.toml."""
        if self._editable:
            lint = tomllib.loads((LINT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
            return {name: lint[name] for name in ("dependencies", "scripts", "entry-points")}
        published = self._is_sdist or (ROOT / "PKG-INFO").is_file()
        place = f"=={project['version']}" if published else f" @ {LINT.as_uri()}"
        return {"dependencies": [f"pullback-lint{place}"], "scripts": {}, "entry-points": {}}
