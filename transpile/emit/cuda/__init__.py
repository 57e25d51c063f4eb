"""CUDA C++ from programs of loops. Printers decide nothing: the passes of `loops` have."""

from __future__ import annotations

from .printer import cuda_text as cuda_text
