"""The backward of a promoted formula on torch tensors: its emitted text, on values that others saved."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import torch

from ..engine.formula.formula import LIBRARY_OF_PROCESS
from ..transpile.emit.array_library.helpers import Helpers
from ..transpile.emit.python import saved_variables
from ..transpile.emit.torch.frame import Frame
from ..transpile.emit.torch.function import class_name_of
from ..transpile.emit.torch.module import free_name, torch_module
from ..transpile.emit.torch.vocabulary import torch_vocabulary
from ..transpile.ir import Formula
from .function import HELPERS, module_of
from .helpers.likes import Like

_DTYPES = {(2, 32): torch.float32, (2, 64): torch.float64, (0, 64): torch.int64, (6, 8): torch.bool}


class Emitted:
    """The backward of a promoted formula. Raises FormulaError (PB502) at what PyTorch has no equal of."""

    def __init__(self, formula: Formula) -> None:
        helpers = Helpers.of_folder(HELPERS)
        name = free_name(formula.name, helpers)
        module = module_of(name, torch_module([(name, formula)], LIBRARY_OF_PROCESS, helpers))
        self._class = getattr(module, class_name_of(name))
        self._like: Any = getattr(module, "_Like", Like)
        frame = Frame(formula, formula.name, torch_vocabulary(helpers), LIBRARY_OF_PROCESS, lambda op: None)
        places = {var: k for k, var in enumerate(saved_variables(frame.formula))}
        self._tensors = [places[var] for var in frame.saved]
        self._values = [(var.name, places[var]) for var in frame.values]
        self._inputs = [not param.attribute for param in frame.single]
        self._ignored = len(frame.masks) + len(frame.extra)

    def plain(self, value: Any, kind: str, device: torch.device) -> Any:
        """A value of a kind as the text reads it; the bridge has code and bits of a dtype before extents."""
        if not isinstance(value, tuple):
            return bool(value) if kind == "bool" else value
        code, bits, *shape = value
        if kind == "shape":
            return torch.Size(shape)
        return self._like(torch.Size(shape), _DTYPES[code, bits], device)

    def backward(
        self,
        saved: Sequence[Any],
        cotangents: Sequence[Any],
        likes: Sequence[Any],
        needed: Sequence[bool],
    ) -> list[Any]:
        """A gradient per input, None where it is not needed or zero.

        saved       the formula's saved values, in order
        cotangents  a tensor per result and hidden output, None where undefined
        likes       shape and dtype of each of these
        needed      whether each input's gradient is asked for
        """
        asked = iter(needed)
        context = SimpleNamespace(
            saved_tensors=tuple(saved[k] for k in self._tensors),
            needs_input_grad=tuple(next(asked) if is_input else False for is_input in self._inputs),
            likes=list(likes),
            **{name: saved[k] for name, k in self._values},
        )
        found = self._class.backward(context, *cotangents, *[None] * self._ignored)
        gradients = found if isinstance(found, tuple) else (found,)
        return [one for one, is_input in zip(gradients, self._inputs, strict=True) if is_input]
