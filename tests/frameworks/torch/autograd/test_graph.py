"""The picture of what was recorded."""

from __future__ import annotations

import pytest

import pullback as pb

pytestmark = pytest.mark.torch
torch = pytest.importorskip("torch")

from pullback.torch import autograd  # noqa: E402 - where torch is


@pytest.fixture
def x():
    return torch.tensor([0.5, 1.5], requires_grad=True)


def test_nodes_and_what_they_save(formulas, x):
    with autograd.record(formulas):
        y = (x.exp() * x).sum()
        shown = autograd.graph(y)
        assert [node.lines for node in shown.nodes] == [
            ["leaf", "float32 (2,)"],
            ["exp", "result: result, float32 (2,)"],
            ["mul.Tensor", "other: input, float32 (2,)", "self: input, float32 (2,)"],
            ["sum"],
        ]
        assert [node.inputs for node in shown.nodes] == [[], [0], [1, 0], [2]]
        assert "test_graph.py" in shown.nodes[1].called_at
        assert 'n2 [label="mul.Tensor\\lother: input, float32 (2,)\\lself: input' in shown.dot
        assert "n1 -> n2;" in shown.dot
        y.backward()
        assert autograd.graph(y).nodes[1].saved == ["(let go)"]


def test_the_picture_is_drawn(formulas, x):
    pytest.importorskip("grandalf")
    with autograd.record(formulas):
        picture = autograd.graph([x.exp(), x.sin()]).svg()
    assert picture.startswith("<svg")
    assert all(name in picture for name in ("leaf", "exp", "sin"))


def test_a_leaf_alone(x):
    assert [node.lines for node in autograd.graph(x).nodes] == [["leaf", "float32 (2,)"]]


def test_what_has_no_graph_is_refused(x):
    with pytest.raises(TypeError, match="not int"):
        autograd.graph(3)
    with pytest.raises(pb.errors.NotDifferentiableError, match="doesn't require grad"):
        autograd.graph(x.detach())
    with pytest.raises(pb.errors.NotDifferentiableError, match="history of PyTorch"):
        autograd.graph(x * 2)
