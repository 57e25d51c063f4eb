"""The key of PyTorch's cache of compiled code on disk, where operators have a name alone."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

import torch

_OURS = re.compile(r"(?: |^)pullback [0-9a-f]{64}")


def tag(sources: Mapping[str, str]) -> None:
    """Make the texts of formulas a part of the key: a backward is compiled from them.

    They go into `torch.compiler.config.cache_key_tag`, so that what was compiled with other formulas under
    these names is not found.
    """
    config: Any = getattr(torch.compiler, "config", None)
    if not hasattr(config, "cache_key_tag"):
        return  # PyTorch before 2.7
    digest = hashlib.sha256(repr(sorted(sources.items())).encode()).hexdigest()
    others = _OURS.sub("", config.cache_key_tag)
    config.cache_key_tag = f"{others} pullback {digest}".strip()
