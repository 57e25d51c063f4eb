"""Loops in the IR: emitted, differentiated, promoted, to third order."""

import numpy as np
import pytest

import pullback as pb
from pullback import primitives
from pullback.engine.core.operator import Operator
from pullback.transpile.ir import Block, Eqn, Formula, Literal, Param, Source, Span, Var
from pullback.transpile.library import standard_library
from pullback.transpile.passes.promote.promote import promote
from pullback.transpile.verify import verify

SPAN = Span("loop.py", 1, 1, 1, 1)


def _formula(params, eqns, result):
    block = Block(tuple(param.var for param in params), tuple(eqns), (result,))
    return Formula("looped", tuple(params), block, None, Source("loop.py", ""), SPAN)


def _recurrence(over, reverse=False):
    """h = x; for i in range(n): h = tanh(a h + b) sin(h)"""
    x, a, b, n = Var("x"), Var("a"), Var("b"), Var("n", "value")
    i, h = Var("i", "value"), Var("h")
    u, v, w, t, s, m = (Var(name) for name in "uvwtsm")
    body = (
        Eqn((u,), "multiply", (a, h)),
        Eqn((v,), "add", (u, b)),
        Eqn((t,), "tanh", (v,)),
        Eqn((s,), "sin", (h,)),
        Eqn((m,), "multiply", (t, s)),
        Eqn((w,), "add", (m, Literal(0.5))),
    )
    last = Var("last")
    kwargs = (("reverse", Literal(True)),) if reverse else ()
    loop = Eqn((last,), "for", (over or n, x), kwargs, (Block((i, h), body, (w,)),), SPAN)
    params = [Param(x), Param(a), Param(b)]
    if over is None:
        params.append(Param(n, "int", attribute=True, differentiable=False))
    return _formula(params, [loop], last)


def _apply(formula):
    operator = Operator(
        verify(promote(verify(formula), standard_library())), {"np": np, "pb": pb, "primitives": primitives}
    )

    def call(*args, **kwargs):
        from pullback.engine.core.dispatch import current

        return current().apply(operator, args, kwargs)

    return call


@pytest.mark.parametrize("turns", [0, 1, 4])
def test_a_recurrence_to_third_order(engine, turns):
    call = _apply(_recurrence(None))
    rng = np.random.default_rng(3)
    x, a, b = rng.standard_normal((2, 1)), rng.standard_normal(3), rng.standard_normal((2, 3))
    x = np.broadcast_to(x, (2, 3)).copy()

    def plain(x, a, b):
        h = x
        for _ in range(turns):
            h = np.tanh(a * h + b) * np.sin(h) + 0.5
        return h

    inputs = [pb.tensor(value, requires_grad=True) for value in (x, a, b)]
    expected, actual = plain(*inputs) * 1.0, call(*inputs, n=turns) * 1.0
    for _ in range(3):
        np.testing.assert_allclose(actual.detach().numpy(), expected.detach().numpy(), rtol=1e-9)
        parts = []
        for value in (expected, actual):
            gradients = pb.grad(np.sum(np.sin(value)), inputs, create_graph=True, allow_unused=True)
            parts.append(sum((np.sum(np.sin(g)) for g in gradients if g is not None), pb.tensor(0.0)))
        if not parts[0].requires_grad:
            break
        expected, actual = parts


def test_a_list_is_looped_over_and_collected(engine):
    """total = 0; for x in xs: total = total + y sin(x); every sin(x) is collected"""
    xs, y, x = Var("xs", "list"), Var("y"), Var("x")
    total, more, s, p = Var("total"), Var("more"), Var("s"), Var("p")
    body = (
        Eqn((s,), "sin", (x,)),
        Eqn((p,), "multiply", (y, s)),
        Eqn((more,), "add", (total, p)),
    )
    zero, last, sines, stacked, r = Var("zero"), Var("last"), Var("sines", "list"), Var("stacked"), Var("r")
    eqns = (
        Eqn((zero,), "zeros_like", (y,)),
        Eqn((last, sines), "for", (xs, zero), (), (Block((x, total), body, (more, s)),), SPAN),
        Eqn((stacked,), "collect", (sines,)),
        Eqn((r,), "multiply", (stacked, last)),
    )
    call = _apply(_formula([Param(xs, "list[Tensor]"), Param(y)], eqns, r))
    rng = np.random.default_rng(5)
    values = [rng.standard_normal(4) for _ in range(3)]

    def looped(a, b, c, y):
        return call([a, b, c], y)

    assert pb.gradcheck(looped, *values, rng.standard_normal(4), order=2)


@pytest.mark.parametrize("z", [np.ones((2, 3)), np.ones(1)], ids=["wider", "same"])
def test_turns_may_leave_values_of_other_shapes(z):
    """The first turn's value was once read in the shape of the last one's: its gradient came twice."""

    @pb.derive_pullback
    def grows(x, z, *, n: int):
        total = 0.0
        for _ in range(n):
            total = total + np.sum(x * np.sin(x))
            x = x * z
        return total

    x = np.array([0.5, 0.6, 0.7])
    assert pb.gradcheck(lambda x, z: grows(x, z, n=2), x, z, order=3)


def test_the_last_iteration_leaves_its_own_shape():
    """It was once broadcast to the shapes of earlier turns."""

    @pb.derive_pullback
    def shrinks(x, *, n: int):
        for k in range(n):
            t = np.sin(x[k:])
        return t

    np.testing.assert_array_equal(shrinks(np.ones(2), n=2), np.sin(np.ones(1)))


@pb.derive_pullback
def over_elements(x, y, *, n: int):
    for i in range(n):
        y = np.sin(y) * x[n - 1 - i, 0]
    return y


@pb.derive_pullback
def over_slices(x, y, *, n: int):
    for i in range(n):
        y = np.sin(y) * x[i, :2] + np.cos(x[i][1])
    return y


@pytest.mark.parametrize("formula", [over_elements, over_slices])
def test_a_part_of_an_outer_array_is_read_again_and_not_collected(engine, formula):
    assert len(formula.operator.formula.hidden) == 2  # of each iteration its y and the sine
    rng = np.random.default_rng(0)
    x, y = rng.uniform(0.5, 1.5, (3, 4)), rng.uniform(0.5, 1.5, 2)
    assert pb.gradcheck(lambda x, y: formula(x, y, n=3), x, y, order=3)
