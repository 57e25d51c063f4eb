"""A call of an operator that PyTorch and the operator's imported formula both can make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._pytree import tree_flatten, tree_map, tree_map_only, tree_unflatten

from pullback.formulas.aten.running import Running, running

from .table import Derivative
from .values import fitted, flat, is_differentiable, is_list, results_of

Tensors = Sequence[Any]


class NotComparableError(Exception):
    """A call of which PyTorch has no derivative."""


@dataclass(frozen=True)
class _Place:
    """Stands for an input of a call: its number among those that can have a gradient."""

    number: int


class Call:
    """A call of an operator, as a function of those of its inputs that PyTorch differentiates.

    derivative  the operator's formula
    inputs      those inputs, each on its own
    """

    def __init__(
        self, derivative: Derivative, args: tuple[Any, ...], kwargs: Mapping[str, Any], seed: int = 0
    ) -> None:
        self.derivative = derivative
        self.seed = seed
        given, self._form = tree_flatten((args, dict(kwargs)))
        self._given = [value.detach() if isinstance(value, torch.Tensor) else value for value in given]
        places = [place for place, value in enumerate(given) if is_differentiable(value)]
        self._places = places
        if not self._differentiates(places):
            self._places = [place for place in places if self._differentiates([place])]
        self.inputs = [self._given[place] for place in self._places]

    def _differentiates(self, places: Sequence[int]) -> bool:
        """True where PyTorch has a backward of the call when all of these inputs require gradients."""
        values = [self._given[place] for place in self._places]
        leaves = [
            value.clone().requires_grad_() if place in places else value
            for place, value in zip(self._places, values, strict=True)
        ]
        try:
            outputs = [each for each in self.pytorch(leaves) if _requires_grad(each)]
            if outputs:
                of = [leaf for leaf in leaves if leaf.requires_grad]
                torch.autograd.grad(outputs, of, list(map(torch.ones_like, outputs)), allow_unused=True)
        except Exception:
            return False
        return True

    def pytorch(self, inputs: Tensors) -> list[Any]:
        """The results of PyTorch's operator; the elements of a list of results each on their own.

        Raises NotComparableError where PyTorch refuses the call.
        """
        args, kwargs = self.arguments(inputs)
        torch.default_generator.manual_seed(self.seed)
        try:
            results = flat(results_of(self.derivative.overload(*args, **kwargs)))
        except Exception as error:
            raise NotComparableError(f"PyTorch: {error}") from error
        if any(isinstance(each, torch.Tensor) and each.layout is not torch.strided for each in results):
            raise NotComparableError("a result is sparse")
        return results

    def gradients(self, inputs: Tensors, cotangents: Mapping[int, Any], recorded: bool = False) -> list[Any]:
        """The gradients of the inputs, by the formula, fitted as the engine of PyTorch fits them.

        `cotangents` has them by the number of a result; `recorded` says that the backward is to be
        differentiated again.
        """
        given, attributes = self.derivative.bound(*self.arguments(inputs))
        torch.default_generator.manual_seed(self.seed)
        results, closure = self.derivative.function(*given, **attributes)
        placed = [any(isinstance(each, _Place) for each in flat([of])) for of in self._places_of_inputs()]
        needed = {id(value): has for value, has in zip(given, placed, strict=True)}
        number = iter(range(len(flat(results_of(results)))))
        of_results = [_filled(result, number, cotangents) for result in results_of(results)]
        with running(Running(needed, recorded)):
            found = closure(*of_results)
        found = [found] if len(given) == 1 else list(found)
        unwritten, _ = self.derivative.bound(*self.arguments(inputs, copied=False))
        return self._by_input(
            [
                fitted(grad, value) if has else None
                for grad, value, has in zip(found, unwritten, placed, strict=True)
            ]
        )

    def tangents(self, inputs: Tensors, tangents: Tensors) -> list[Any]:
        """The tangents of the results, by the formula's rule for forward mode."""
        given, attributes = self.derivative.bound(*self.arguments(inputs))
        places = self._places_of_inputs()
        by_input = [
            tree_map(lambda place: tangents[place.number] if isinstance(place, _Place) else None, place)
            for place in places
        ]
        torch.default_generator.manual_seed(self.seed)
        assert self.derivative.tangent is not None
        return flat(results_of(self.derivative.tangent(*given, *by_input, **attributes)))

    def arguments(self, inputs: Tensors, copied: bool = True) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with these inputs; copies where the operator writes into one."""
        given = list(self._given)
        for place, value in zip(self._places, inputs, strict=True):
            given[place] = value
        if copied and self.derivative.overload._schema.is_mutable:
            given = tree_map_only(torch.Tensor, torch.clone, given)
        args, kwargs = tree_unflatten(given, self._form)
        return args, kwargs

    def _places_of_inputs(self) -> list[Any]:
        """The arguments of the formula, with the number of each input in its place."""
        numbered = self.arguments([_Place(k) for k in range(len(self.inputs))], copied=False)
        return self.derivative.bound(*numbered)[0]

    def _by_input(self, gradients: Sequence[Any]) -> list[Any]:
        found = {
            place.number: gradient
            for places, of in zip(self._places_of_inputs(), gradients, strict=True)
            for place, gradient in zip(flat([places]), flat([of]), strict=False)
            if isinstance(place, _Place)
        }
        return [found[number] for number in range(len(self.inputs))]


def _requires_grad(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.requires_grad


def _filled(result: Any, number: Iterator[int], cotangents: Mapping[int, Any]) -> Any:
    """The cotangent of a result, or the list of those of its elements."""
    if is_list(result):
        return [cotangents.get(next(number)) for _ in result]
    return cotangents.get(next(number))
