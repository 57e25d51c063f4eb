"""Hooks are called when PyTorch calls them, and with what it gives them."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

import pullback as pb

pytestmark = pytest.mark.torch
torch = pytest.importorskip("torch")

from pullback.torch import autograd  # noqa: E402 - where torch is


class Log(list):
    """What hooks were called with, in order."""

    def hook(self, name, factor=None):
        def called(gradient):
            self.append((name, gradient.tolist()))
            return None if factor is None else gradient * factor

        return called

    def of_node(self, name, factor=None):
        def called(*groups):
            self.append(
                (name, [[None if each is None else each.tolist() for each in group] for group in groups])
            )
            return None if factor is None else tuple(each * factor for each in groups[0])

        return called


def on_tensors(log, x):
    x.register_hook(log.hook("leaf", 3))
    y = x * 2
    y.register_hook(log.hook("first", 10))
    removed = y.register_hook(log.hook("removed"))
    y.register_hook(log.hook("second"))
    removed.remove()
    y.retain_grad()
    (y * y).sum().backward()
    log += [y.grad.tolist(), y.retains_grad, x.retains_grad]


def on_what_is_gone(log, x):
    y = x * 2
    y.register_hook(log.hook("gone", 5))
    z = y.sin().sum()
    del y
    z.backward()


def retained_twice(log, x):
    y = x.exp()
    y.retain_grad()
    z = (y * y).sum()
    z.backward(retain_graph=True)
    before = y.grad
    z.backward()
    log += [y.grad.tolist(), before.tolist()]


def around_a_write(log, x):
    y = x * 2
    y.register_hook(log.hook("before"))
    y.retain_grad()
    y.mul_(x)
    y.register_hook(log.hook("after", 2))
    (y * 3).sum().backward()
    log += [y.grad.tolist(), y.retains_grad]


def on_views(log, x):
    y = x * 2
    part = y[1:]
    part.register_hook(log.hook("part", 4))
    z = (part * 3).sum()
    y.mul_(5)
    part.register_hook(log.hook("part of what was written"))
    (z + (part * x[1:]).sum()).backward()


def on_nodes(log, x):
    y = x * x.detach().mul(2).requires_grad_()
    y.grad_fn.register_prehook(log.of_node("before", 3))
    y.grad_fn.register_hook(log.of_node("after", 2))
    y.sum().backward()


def on_a_leafs_node(log, x):
    y = x * 2
    leaf = y.grad_fn.next_functions[0][0]
    leaf.register_prehook(log.of_node("before", 7))
    leaf.register_hook(log.of_node("after"))
    y.sum().backward()


def after_accumulation(log, x):
    def scale(leaf):
        log.append(leaf.grad.tolist())
        leaf.grad.mul_(2)

    x.register_hook(log.hook("hook"))
    x.register_post_accumulate_grad_hook(scale)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward(inputs=[x])


def of_some_inputs(log, x):
    other = torch.ones(3, dtype=x.dtype, requires_grad=True)
    y = x * other
    y.register_hook(log.hook("y", 2))
    y.sin().sum().backward(inputs=[y, other])
    log += [y.grad.tolist(), other.grad.tolist()]


def of_a_recorded_backward(log, x):
    y = x**3
    y.register_hook(lambda gradient: gradient * x)
    y.sum().backward(create_graph=True)
    gradient, x.grad = x.grad, None
    log.append(gradient.tolist())
    gradient.sum().backward()


PROGRAMS = [
    on_tensors, on_what_is_gone, retained_twice, around_a_write, on_views, on_nodes, on_a_leafs_node,
    after_accumulation, of_some_inputs, of_a_recorded_backward,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph")
def test_hooks_are_called_as_by_pytorch(formulas, program):
    logs = []
    for block in (nullcontext(), autograd.record(formulas)):
        x, log = torch.tensor([0.5, 1.5, -2.0], dtype=torch.float64, requires_grad=True), Log()
        with block:
            program(log, x)
        logs.append([*log, None if x.grad is None else x.grad.tolist()])
    assert repr(logs[1]) == repr(logs[0])


def test_hooks_outside_of_the_block(formulas):
    x, log = torch.ones(2, requires_grad=True), Log()
    with autograd.record(formulas):
        y = x * 2
        z = y.sum()
    y.register_hook(log.hook("y", 3))
    y.retain_grad()
    z.backward()
    assert (log, y.grad.tolist(), x.grad.tolist()) == ([("y", [1.0, 1.0])], [3.0, 3.0], [6.0, 6.0])


def test_what_a_hook_returns_is_checked(formulas):
    x = torch.ones(2, requires_grad=True)
    with autograd.record(formulas):
        y = x * 2
        y.register_hook(lambda gradient: gradient.sum())
        with pytest.raises(pb.errors.GradientShapeError, match=r"of shape \(2,\) by one of \(\)"):
            y.sum().backward()
        with pytest.raises(RuntimeError, match="non-leaf"):
            y.register_post_accumulate_grad_hook(lambda leaf: None)
