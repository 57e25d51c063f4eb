"""The kernels of an operator, which PyTorch's dispatcher calls by their keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from ..engine.formula.formula import LIBRARY_OF_PROCESS
from ..transpile.emit.array_library.helpers import Helpers
from ..transpile.emit.torch.frame import Frame
from ..transpile.emit.torch.function import class_name_of
from ..transpile.emit.torch.operands import computed_with
from ..transpile.emit.torch.vocabulary import torch_vocabulary
from ..transpile.ir import Literal
from .autocast import Autocast
from .function import HELPERS, TorchFunction
from .helpers.forward_mode import in_forward_mode
from .helpers.numbers import check_devices, check_dtypes
from .schema import Signature, refused

_BELOW = "CompositeExplicitAutograd"


class Kernels:
    """The kernels of an operator, by dispatch key.

    Without derivatives the dispatcher comes to the kernel of the device. With them it runs the formula's
    autograd function, whose forward is an operator that returns hidden outputs too, where all of them are
    tensors. `torch.func` runs the same function, op by op. Results are in C order where they are `dense`,
    as the formula's C++ kernels give them.
    """

    op: Any
    with_hidden: Any

    def __init__(self, name: str, function: TorchFunction, dense: bool) -> None:
        self.dense = dense
        formula = function.formula.operator.formula
        vocabulary = torch_vocabulary(Helpers.of_folder(HELPERS))
        frame = Frame(formula, formula.name, vocabulary, LIBRARY_OF_PROCESS, lambda op: None)
        self.name = name
        self.signature = Signature(formula)
        self.results = formula.results
        if not self.results:
            raise refused(formula, None, "it has no result", "return an array")
        self.outputs = len(frame.outputs)
        # A schema says of each output that it is a tensor, on every path.
        tensors = all(not isinstance(atom, Literal) and atom.kind == "tensor" for atom in frame.outputs)
        branches = any(eqn.blocks for eqn in formula.forward.eqns)
        self.has_hidden = self.outputs > self.results and tensors and not frame.extra and not branches
        self.checked = computed_with(formula)
        self.lists = [param.var.name for param in formula.params if param.var.kind == "list"]
        self.required = [
            param.var.name
            for param in formula.params
            if not (param.attribute or param.optional or param.var.kind == "list")
        ]
        self.autocast = Autocast.of(formula)
        class_name = class_name_of(function.name)
        self.plain = getattr(function.module, class_name)
        self.tangents = getattr(function.module, f"{class_name}WithTangents")
        stem = class_name.removeprefix("_")
        self.function = self._of_operator(stem, self.plain)
        self.function_with_tangents = self._of_operator(stem, self.tangents)

    def library(self, namespace: str, name: str, op_by_op: bool) -> torch.library.Library:
        """The library that defines the operators; they live as long as it does.

        With `op_by_op` there is one more, of this name, for what the bridge hands back.
        """
        library = torch.library.Library(namespace, "FRAGMENT")
        names = [(name, self.results)]
        if self.has_hidden:
            names.append((f"{name}_with_hidden", self.outputs))
        for each, count in names:
            schema = f"{each}({self.signature.text}) -> {_returns(count)}"
            library.define(schema, tags=(torch.Tag.pt2_compliant_tag,))
            op = getattr(getattr(torch.ops, namespace), each).default
            if each == name:
                self.op = op
            self.with_hidden = op
            computed = self._naming(self._computed(count))
            library.impl(each, computed, _BELOW)
            torch.library.register_fake(f"{namespace}::{each}", computed, lib=library)
            library.impl(each, self._naming(self._differentiable(op, count)), "Autograd")
            library.impl(each, self._naming(self._transformed(count)), "FuncTorchDynamicLayerFrontMode")
            for device in ("CPU", "CUDA"):
                library.impl(each, self._cast(op, device.lower()), f"Autocast{device}")
        if op_by_op:
            library.define(f"{name}_op_by_op({self.signature.text}) -> {_returns(self.results)}")
            computed = self._naming(self._computed(self.results))
            library.impl(f"{name}_op_by_op", computed, _BELOW)
            differentiable = self._naming(self._differentiable(self.op, self.results))
            library.impl(f"{name}_op_by_op", differentiable, "Autograd")
        return library

    def _of_operator(self, name: str, function: Any) -> Any:
        """The autograd function whose forward is the operator with its hidden outputs."""

        def forward(*flat: Any) -> Any:
            args, kwargs = self.signature.of_applied(flat)
            with torch._C._AutoDispatchBelowAutograd():
                return self.with_hidden(*args, **kwargs)

        if self.outputs > self.results and not self.has_hidden:
            return function
        return type(name, (function,), {"forward": staticmethod(forward), "__doc__": function.__doc__})

    def _computed(self, count: int) -> Callable[..., Any]:
        """The kernel of every device: the formula's forward, op by op. It runs on fake tensors too."""

        def kernel(*args: Any, **kwargs: Any) -> Any:
            given = self.signature.bound(args, kwargs)
            self._check(given)
            found = self._first(self.plain.forward(*self.signature.applied(given)), count)
            if not self.dense:
                return found
            return tuple([x.contiguous() for x in found]) if isinstance(found, tuple) else found.contiguous()

        return kernel

    def _differentiable(self, op: Any, count: int) -> Callable[..., Any]:
        """The derivative, of what has one; else what is below."""

        def kernel(*args: Any, **kwargs: Any) -> Any:
            forward_mode = in_forward_mode()
            if not forward_mode and not (
                torch.is_grad_enabled() and _requires_grad((*args, *kwargs.values()))
            ):
                with torch._C._AutoDispatchBelowAutograd():
                    return op(*args, **kwargs)
            given = self.signature.bound(args, kwargs)
            self._check(given, real=True)
            function = self.function_with_tangents if forward_mode else self.function
            return self._first(function.apply(*self.signature.applied(given)), count)

        return kernel

    def _transformed(self, count: int) -> Callable[..., Any]:
        """In `torch.func`: the autograd function, op by op."""

        def kernel(*args: Any, **kwargs: Any) -> Any:
            given = self.signature.bound(args, kwargs)
            given = {name: self.autocast.cast_where_enabled(value) for name, value in given.items()}
            self._check(given, real=_is_differentiated())
            function = self.tangents if in_forward_mode() else self.plain
            with self.autocast.excluded():
                return self._first(function.apply(*self.signature.applied(given)), count)

        return kernel

    def _cast(self, op: Any, device: str) -> Callable[..., Any]:
        """Under autocast: the operator of what is cast, and autocast of nothing inside of it."""

        def kernel(*args: Any, **kwargs: Any) -> Any:
            positional = [self.autocast.cast(value, device) for value in args]
            named = {name: self.autocast.cast(value, device) for name, value in kwargs.items()}
            with self.autocast.excluded():
                return op(*positional, **named)

        return kernel

    def _naming(self, kernel: Callable[..., Any]) -> Callable[..., Any]:
        """The kernel, with what was called and with what in PyTorch's errors."""

        def named(*args: Any, **kwargs: Any) -> Any:
            try:
                return kernel(*args, **kwargs)
            except (RuntimeError, IndexError, ValueError) as error:
                # What a subclass says is for PyTorch's compiler, or is not about operands.
                if type(error) not in (RuntimeError, IndexError, ValueError) or self.name in str(error):
                    raise
                given = self.signature.bound(args, kwargs).items()
                tensors = ", ".join(f"`{key}` {_shown(x)}" for key, x in given if _shown(x))
                said = str(error).rstrip(".")
                raise type(error)(f"{self.name}: {said}; given {tensors or 'no tensor'}") from error

        return named

    def _first(self, found: Any, count: int) -> Any:
        """So many of the outputs."""
        if self.outputs == 1 and not isinstance(found, tuple):
            return found
        return found[0] if count == 1 else tuple(found[:count])

    def _check(self, given: Mapping[str, Any], real: bool = False) -> None:
        """Raise for tensors that are missing, are computed with unlike NumPy, or are on several devices."""
        for key in self.required:
            if given[key] is None:  # which PyTorch takes for a tensor
                raise TypeError(f"{self.name}: `{key}` must be a torch.Tensor, not NoneType")
        tensors = {key: given[key] for key in self.checked if given[key] is not None}
        for key in self.lists:
            tensors |= {f"{key}[{k}]": x for k, x in enumerate(given[key])}
        if real:
            for key, x in tensors.items():
                if x.is_complex():
                    raise TypeError(
                        f"{self.name}: `{key}` is {x.dtype} and is differentiated: the formula's gradients "
                        "are those of real inputs"
                    )
        check_dtypes(self.name, tensors)
        check_devices(self.name, tensors)


def _returns(count: int) -> str:
    """So many tensors, as a schema has them."""
    return "Tensor" if count == 1 else f"({', '.join(['Tensor'] * count)})"


def _shown(value: Any) -> str:
    """A tensor's dtype and extents, or those of several; "" for what is none.

    >>> _shown([torch.ones(2, 3), torch.ones(())])
    '[float32[2, 3], float32[]]'
    """
    if isinstance(value, (list, tuple)) and any(isinstance(x, torch.Tensor) for x in value):
        return f"[{', '.join(map(_shown, value))}]"
    if not isinstance(value, torch.Tensor):
        return ""
    return f"{str(value.dtype).removeprefix('torch.')}[{', '.join(map(str, value.shape))}]"


def _requires_grad(values: Sequence[Any]) -> bool:
    for value in values:
        if isinstance(value, torch.Tensor):
            if value.requires_grad:
                return True
        elif isinstance(value, (list, tuple)) and _requires_grad(value):
            return True
    return False


def _transforms() -> set[Any]:
    """The kinds of transforms of `torch.func` around a call."""
    from torch._functorch.pyfunctorch import retrieve_all_functorch_interpreters

    return {one.key() for one in retrieve_all_functorch_interpreters()}


def _is_differentiated() -> bool:
    """True inside of a derivative of `torch.func`."""
    return _transforms() != {torch._C._functorch.TransformType.Vmap}
