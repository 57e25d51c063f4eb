"""Random programs in PyTorch and JAX: the values and two derivatives that the reference engine gives."""

import random
import warnings

import numpy as np
import pytest

import pullback as pb
from pullback.transpile.diagnostics import FormulaError
from tests.sampling import sampled

from .generator import Generator, is_small
from .run import derivatives, load, parts_of

BATCH = 8
# What is refused at the call: dtypes that the library makes others of than NumPy, values of traced arrays.
REFUSED = (FormulaError, NotImplementedError, TypeError)


def programs(folder, seeds):
    """Formulas with their cases, values and derivatives by the reference engine, which takes them all."""
    for seed in seeds:
        generator = Generator(random.Random(seed))
        text, case = generator.program(), generator.case
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                formula = pb.derive_pullback(load(folder / f"program_{seed}.py", text))
                values = parts_of(formula(*case.arrays().values(), **case.attributes))
                with pb.use_engine("reference"):
                    found = derivatives(formula, case, 2)
            except Exception:  # other tests compare it with NumPy
                continue
        if is_small(values):
            yield seed, formula, case, values, found


def bent(total, parts):
    """A sum of the results that are floats, bent."""
    return sum((total(part) for part in parts), 0.0)


def agree(seed, found, expected, near):
    """Assert that arrays are equal, and that what one way does not record is zero."""
    for k in range(max(len(found), len(expected))):
        one, other = (np.asarray(each[k]) if k < len(each) else 0.0 for each in (found, expected))
        np.testing.assert_allclose(one, other, rtol=near, atol=near, err_msg=f"program {seed}, part {k}")


def in_torch(torch, function, case):
    """Values and two derivatives of a program, and its first one in forward mode, along ones."""
    given = case.arrays()
    rest = [torch.tensor(given[name]) for name in ("idx", "mask")]
    leaves = [torch.tensor(given[name], requires_grad=True) for name in case.tensors]

    def results(*tensors):
        found = function(*tensors, *rest, **case.attributes)
        return [torch.as_tensor(x) for x in (found if isinstance(found, tuple) else (found,))]

    parts = values = results(*leaves)
    gradients = []
    for _ in range(2):
        parts = [x for x in parts if x is not None and x.requires_grad]
        if not parts:
            break
        total = bent(lambda x: torch.sin(x).sum(), parts)
        parts = torch.autograd.grad(total, leaves, create_graph=True, allow_unused=True)
        gradients += [0.0 if g is None else g.detach().numpy() for g in parts]

    def scalar(*tensors):
        floats = [x for x in results(*tensors) if x.is_floating_point()]
        return bent(lambda x: torch.sin(x).sum(), floats) + 0.0 * tensors[0].sum()

    tangent = None
    if gradients:
        points = tuple(leaf.detach() for leaf in leaves)
        _, tangent = torch.func.jvp(scalar, points, tuple(map(torch.ones_like, points)))
    return [x.detach().numpy() for x in values], gradients, tangent


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")  # PyTorch's own, in forward mode
@pytest.mark.parametrize("batch", sampled(range(12), 12))
def test_programs_in_pytorch(tmp_path, batch):
    torch = pytest.importorskip("torch")
    import pullback.torch

    compared = 0
    for seed, formula, case, expected, wanted in programs(
        tmp_path, range(batch * BATCH, (batch + 1) * BATCH)
    ):
        try:
            values, gradients, tangent = in_torch(torch, pullback.torch.function(formula), case)
        except REFUSED:
            continue
        agree(seed, values, expected, 1e-9)
        agree(seed, gradients, wanted, 1e-7)
        if tangent is not None:
            agree(seed, [tangent.numpy()], [sum(np.sum(each) for each in wanted[:4])], 1e-7)
        compared += 1
    assert compared >= 2


@pytest.fixture
def wide():
    """JAX's dtypes as they are NumPy's."""
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True):
        yield


@pytest.mark.jax
@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("batch", sampled(range(12), 12))
def test_programs_in_the_text_for_jax(tmp_path, batch):
    jax = pytest.importorskip("jax")
    from tests.frameworks.texts import jax_text

    compared = 0
    for seed, formula, case, expected, wanted in programs(
        tmp_path, range(batch * BATCH, (batch + 1) * BATCH)
    ):
        given = {name: jax.numpy.asarray(value) for name, value in case.arrays().items()}
        points = [given[name] for name in case.tensors]

        def results(*arrays, function, case=case, rest=(given["idx"], given["mask"])):
            found = function(*arrays, *rest, **case.attributes)
            return [jax.numpy.asarray(x) for x in (found if isinstance(found, tuple) else (found,))]

        names = {}
        try:
            text = jax_text(formula)
            exec(compile(text, f"program_{seed}.py", "exec"), names)
            run = names[formula.__name__]
            values = results(*points, function=run)

            def scalar(*arrays, run=run, results=results):
                floats = [x for x in results(*arrays, function=run) if x.dtype.kind == "f"]
                return bent(lambda x: jax.numpy.sin(x).sum(), floats) + 0.0 * arrays[0].sum()

            gradients = jax.grad(scalar, (0, 1, 2, 3))(*points)
        except (*REFUSED, ValueError):  # jax.numpy takes no axis of what has none
            continue
        agree(seed, values, expected, 1e-9)
        agree(seed, gradients, wanted[:4], 1e-7)
        compared += 1
    assert compared >= 2
