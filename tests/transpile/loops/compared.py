"""Calls of compiled kernels, each run by the interpreter on the same arguments, and compared."""

from collections import Counter
from contextlib import contextmanager

import numpy as np
import pytest

from pullback.engine.kernels.launch import CompiledKernel
from pullback.engine.primitives.plumbing import Like
from pullback.transpile.loops.interpreter import Arguments, run
from pullback.transpile.loops.interpreter.functions import NotInterpreted
from pullback.transpile.loops.lower.schedule import program_of


class Comparison:
    """The kernels that agree, by name, and the functions of the runtime that are not interpreted."""

    def __init__(self):
        self.agree = Counter()
        self.not_interpreted = set()

    def of(self, kernel, arguments, outputs, plain):
        """Compare what a kernel gives in float64 for these arguments."""
        tensors, _ = kernel._sorted(arguments)
        own = [t for t, code in zip(tensors, kernel._codes, strict=True) if code == "T" and t is not None]
        if any(tensor.dtype != np.float64 for tensor in own):
            return
        arrays = [np.empty(t.shape, t.dtype) if isinstance(t, Like) else t for t in tensors]
        numbers = [v for v, entry in zip(arguments, kernel.kernel.inputs, strict=True) if entry.is_number]
        try:
            found = run(program_of(kernel.kernel), Arguments(arrays, numbers))
        except NotInterpreted as missing:
            self.not_interpreted.add(str(missing))
            return
        for k, expected in enumerate(outputs):
            if expected is not None:
                same(found[k], expected, kernel.kernel.name)
        for k, (one, expected) in enumerate(
            zip(kernel.kernel.plain_results, plain, strict=True), len(outputs)
        ):
            is_shape = one.kind in ("like", "shape")
            given = found[k].shape if is_shape else np.ravel(found[k])[0]
            assert given == getattr(expected, "shape", expected), kernel.kernel.name
        self.agree[kernel.kernel.name] += 1


def same(found, expected, name):
    """Assert that two arrays agree to 1e-12 of the largest entry."""
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype), name
    if expected.dtype.kind != "f":
        np.testing.assert_array_equal(found, expected, err_msg=name)
        return
    scale = np.max(np.abs(expected), initial=1.0, where=np.isfinite(expected))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * scale, err_msg=name)


@contextmanager
def comparison():
    """Compare each call of a kernel in this block with the interpreter."""
    found, called = Comparison(), CompiledKernel.with_plain_outputs

    def both(kernel, arguments, needed=None):
        outputs, plain = called(kernel, arguments, needed)
        found.of(kernel, arguments, outputs, plain)
        return outputs, plain

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CompiledKernel, "with_plain_outputs", both)
        yield found
