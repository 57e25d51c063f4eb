"""The columns of the table: what is true of a construct, found by trying it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any
from unittest import mock

import numpy as np

import pullback as pb
from pullback.engine.core.dispatch import available
from pullback.engine.core.operator import Operator
from pullback.engine.kernels.operator import Backward
from pullback.engine.transforms.probe import derivatives
from pullback.tools.checking import probes_of
from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.emit.python import module_text
from tests.kernel_formulas import verify_formulas

from .catalog import Call, Construct

YES, NO, RESULT_ONLY = "yes", "no", "result only"


def emitted(construct: Construct) -> str:
    """Whether the emitted text, executed as a module, computes what the author's Python does."""
    try:
        operator = construct.formula.operator
    except FormulaError:
        return NO
    namespace = dict(operator.namespace)
    exec(module_text(operator.formula), namespace)
    forward = namespace[f"{operator.formula.name}_forward"]
    for call in construct.calls:

        def run(*inputs: Any, **attributes: Any) -> Any:
            bound, named = operator.bind(inputs, attributes)
            values = iter(bound)
            given = [named[p.var.name] if p.attribute else next(values) for p in operator.formula.params]
            outputs = forward(*given)[: operator.n_results]
            return outputs if operator.result_is_tuple else outputs[0]

        assert_same(outcome(lambda call=call: construct.plain(call)), outcome(lambda call=call: call.of(run)))
        if construct.closure:
            by_hand = outcome(lambda call=call: _by_hand(construct, call))
            assert_same(by_hand, outcome(lambda call=call: _gradients(construct.formula, call)))
    return YES


def differentiated(construct: Construct) -> str:
    """Whether the derivatives to third order are those of finite differences, on both engines."""
    try:
        operator = construct.formula.operator
    except FormulaError:
        return NO
    if operator.barrier:
        return NO
    engines = available()
    for call in construct.calls:
        if raises(construct, call):
            continue
        function, arrays = flattened(construct.formula, call)
        with pb.use_engine(engines[-1]):  # the native one takes a tenth of the time
            assert pb.gradcheck(function, *arrays, order=3)
            expected = _three_orders(function, arrays)
        for name in engines[:-1]:
            with pb.use_engine(name):
                found = _three_orders(function, arrays)
            for one, other in zip(expected, found, strict=True):
                np.testing.assert_allclose(other, one, rtol=1e-9, atol=1e-9)
    return YES


def _three_orders(function: Callable[..., Any], arrays: list[np.ndarray]) -> list[np.ndarray]:
    """The derivatives that `gradcheck` compares with differences."""
    return [
        gradient
        for probe in probes_of(function, arrays, {})
        for order in (1, 2, 3)
        for gradient in derivatives(probe, order)
        if gradient is not None
    ]


def compiled(construct: Construct) -> str:
    """Whether kernels compute the result and two derivatives, and agree with the formula."""
    complete = True
    fast = pb.compile(construct.formula, order=2)
    for call in construct.calls:
        try:
            expected = outcome(lambda call=call: construct.plain(call))
            # What an author raises is raised by the formula's Python, after the kernel's refusal.
            with nullcontext() if raises(construct, call) else _no_python_forward():
                actual = outcome(lambda call=call: call.of(fast))
            # Of what is compiled once the numbers of axes are seen.
            complete = complete and not any(made.compiled.limits for made in fast._operators.values())
        except Exception:  # no kernel, or the transpiler or the compiler fails
            return NO
        assert_same(expected, actual)
        if raises(construct, call):
            continue
        for one, other in zip(second_order(construct.formula, call), second_order(fast, call), strict=True):
            np.testing.assert_allclose(other, one, rtol=1e-7, atol=1e-9)
    verify_formulas(fast)
    return YES if complete else RESULT_ONLY


class RunsOnPython(Exception):
    """A compiled formula fell back to its Python."""


@contextmanager
def _no_python_forward() -> Iterator[None]:
    def refuse(*_: Any) -> Any:
        raise RunsOnPython

    with mock.patch.object(Operator, "forward", refuse):
        yield


@contextmanager
def no_python_backward() -> Iterator[None]:
    """Refuse what a kernel for a first derivative leaves to the formula's closure."""
    made, within = Backward.__init__, [True]

    def begin(self: Backward, *given: Any) -> None:
        made(self, *given)
        closure = self.python.call

        def call(*values: Any) -> Any:  # an operator keeps its backwards for later
            if within:
                raise RunsOnPython
            return closure(*values)

        self.python = self.python._replace(call=call)

    try:
        with mock.patch.object(Backward, "__init__", begin):
            yield
    finally:
        within.clear()


def raises(construct: Construct, call: Call) -> bool:
    """Whether the author's Python raises for this call, in the forward or in the closure."""
    try:
        if construct.closure:
            _by_hand(construct, call)
        else:
            construct.plain(call)
    except Exception:
        return True
    return False


def outcome(function: Callable[[], Any]) -> Any:
    """What a function returns, or the exception that it raises."""
    try:
        return function()
    except RunsOnPython:
        raise
    except Exception as error:
        return error


def assert_same(expected: Any, actual: Any) -> None:
    """Assert that two outcomes are equal arrays, or the same exception with the same message."""
    if isinstance(expected, Exception) or isinstance(actual, Exception):
        assert (type(actual), str(actual)) == (type(expected), str(expected))
        return
    assert isinstance(actual, tuple) == isinstance(expected, tuple)
    for one, other in zip(_flat(expected), _flat(actual), strict=True):
        np.testing.assert_allclose(_array(other), _array(one), rtol=1e-12, atol=1e-12)


def _array(value: Any) -> np.ndarray:
    """An array, or that of a tensor: what `pb.vjp` gives for arrays."""
    return value.detach().numpy() if isinstance(value, pb.Tensor) else np.asarray(value)


def _flat(value: Any) -> list[Any]:
    return [part for item in value for part in _flat(item)] if isinstance(value, (tuple, list)) else [value]


def flattened(function: Callable[..., Any], call: Call) -> tuple[Callable[..., Any], list[np.ndarray]]:
    """The function of its arrays alone, those of lists one by one; and these arrays."""
    arrays = [item for item in _flat(list(call.inputs)) if isinstance(item, np.ndarray)]

    def flat(*given: Any) -> Any:
        values = iter(given)
        inputs = [_filled(value, values) for value in call.inputs]
        return function(*inputs, **call.attributes)

    return flat, arrays


def _filled(value: Any, values: Iterator[Any]) -> Any:
    if isinstance(value, list):
        return [_filled(item, values) for item in value]
    return next(values) if isinstance(value, np.ndarray) else value


def _by_hand(construct: Construct, call: Call) -> list[Any]:
    """The gradients that the author's closure returns for gradients of one, without those that are zero."""
    result, closure = call.of(construct.function)
    ones = [np.ones_like(part) for part in _flat(result)]
    rules = closure.__code__.co_argcount - len(ones) - len(closure.__defaults__ or ())
    gradients = closure(*ones, *[0.0] * rules)
    return [g for g in _flat(gradients) if g is not None and np.any(g)]


def _gradients(formula: Any, call: Call) -> list[Any]:
    with pb.use_engine("reference"):
        function, arrays = flattened(formula, call)
        tensors = [pb.tensor(value, requires_grad=value.dtype.kind == "f") for value in arrays]
        results = _flat(function(*tensors))
        wanted = [tensor for tensor in tensors if tensor.requires_grad]
        ones = [np.ones_like(result.detach().numpy()) for result in results]
        found = pb.grad(results, wanted, ones, allow_unused=True)
    return [g.numpy() for g in found if g is not None and np.any(g.numpy())]


def first_order(formula: Any, call: Call) -> None:
    """Run the first backward of a sum of the results."""
    function, arrays = flattened(formula, call)
    tensors = [pb.tensor(value, requires_grad=value.dtype.kind == "f") for value in arrays]
    parts = [np.sum(value) for value in _flat(function(*tensors)) if value.requires_grad]
    if parts:
        sum(parts[1:], parts[0]).backward()


def second_order(formula: Any, call: Call) -> list[np.ndarray]:
    """First derivatives of a bent sum of the results, then first derivatives of a bent sum of those."""
    function, arrays = flattened(formula, call)
    tensors = [pb.tensor(value, requires_grad=value.dtype.kind == "f") for value in arrays]
    wanted = [tensor for tensor in tensors if tensor.requires_grad]
    values = _flat(function(*tensors))
    found = []
    for _ in range(2):
        parts = [np.sum(np.sin(value)) for value in values if value.requires_grad]
        if not parts:
            break
        values = pb.grad(sum(parts[1:], parts[0]), wanted, create_graph=True, materialize_grads=True)
        found += [value.detach().numpy() for value in values]
    return found
