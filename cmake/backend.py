"""The build backend: scikit-build-core's, but in an environment of pre-commit that of `pullback-lint` alone.

pre-commit installs the root of a repository into the environment of a hook. Our hook needs the linter, and
neither the engines nor NumPy, not even to build them. Such an environment lies within the checkout that it is
made for.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from scikit_build_core import build
from scikit_build_core.build import build_editable, build_sdist, get_requires_for_build_sdist

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
]

ROOT = Path(__file__).resolve().parent.parent
Settings = dict[str, list[str] | str] | None
NATIVE = ["nanobind>=2.4", "numpy>=2.0"]  # the native module is built with


def get_requires_for_build_editable(config_settings: Settings = None) -> list[str]:
    """Requirements of an editable build."""
    return [*build.get_requires_for_build_editable(config_settings), *NATIVE]


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    """Requirements of a build of the wheel."""
    with _folder():
        return [*build.get_requires_for_build_wheel(config_settings), *([] if _for_a_hook() else NATIVE)]


def build_wheel(folder: str, config_settings: Settings = None, metadata: str | None = None) -> str:
    """The wheel of `pullback`, or of `pullback-lint` for a hook."""
    with _folder():
        return build.build_wheel(folder, config_settings, metadata)


def _folder() -> contextlib.AbstractContextManager[None]:
    return contextlib.chdir("lint") if _for_a_hook() else contextlib.nullcontext()


def _for_a_hook() -> bool:
    environment = Path(os.environ.get("VIRTUAL_ENV", ""))
    return environment.name.startswith("py_env-") and environment.parent.resolve() == ROOT
