"""`pb.graph`: names, saved values, hidden outputs; as text and as a picture."""

import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import pullback as pb
from pullback import primitives
from tests.conformance.formulas import simple


@pytest.fixture
def example(engine):
    a = pb.tensor(np.ones((2, 3)), requires_grad=True, name="a")
    b = pb.tensor(np.ones(3), requires_grad=True, name="b")
    return pb.graph(np.exp(simple(a, b)).sum())


def test_nodes_stand_after_what_they_read(example):
    assert [node.name for node in example.nodes] == ["leaf", "leaf", "simple", "exp", "sum"]
    assert all(older < index for index, node in enumerate(example.nodes) for older in node.inputs)
    assert example.nodes[2].inputs == [0, 1]
    assert "test_graph.py" in example.nodes[2].called_at
    assert repr(example) == "<graph of 5 nodes>"


def test_saved_values_and_hidden_outputs_are_named(example):
    saved = example.nodes[2].saved
    assert any(line.startswith("t: hidden output") for line in saved)
    assert any(line.startswith("b: input") for line in saved)
    assert example.nodes[3].saved[0].startswith("r: result")
    assert "t: hidden output, float64 (2, 3)" in saved
    assert "b: input, float64 (3,)" in saved
    assert example.nodes[3].saved == ["r: result, float64 (2, 3)"]
    assert example.nodes[0].saved == ["a: float64 (2, 3)"]


def test_lists_and_packed_values_have_sizes(engine):
    x = pb.tensor(np.ones((2, 3)), requires_grad=True)
    with pb.saved_tensors_hooks(lambda t: t, lambda t: t):
        y = np.exp(x)
    z = primitives.contract([x, y], subscripts="ij,ij->")
    nodes = pb.graph(z).nodes
    assert nodes[1].saved == ["r: result, float64 (2, 3), packed"]
    assert nodes[2].saved == ["arrays: input, float64 (2, 3), float64 (2, 3)"]
    z.backward()
    assert pb.graph(z).nodes[1].saved == ["(let go)"]


def test_values_without_a_name_are_shown_as_they_were_written(engine):
    def scaled(x):
        for _ in range(2):
            x = np.tanh(x) * x
        return x / np.linalg.norm(x)

    x = pb.tensor(np.ones(3), requires_grad=True)
    saved = pb.graph(pb.derive_pullback(scaled)(x)).nodes[-1].saved
    assert "np.linalg.norm(x): hidden output, float64 ()" in saved
    assert not any("_1" in line for line in saved)


def test_dot_is_complete(example):
    lines = example.dot.splitlines()
    assert (lines[0], lines[-1]) == ("digraph {", "}")
    assert "  n0 -> n2;" in lines
    assert sum("label=" in line for line in lines) == 5


def test_the_picture_is_xml_with_every_name(example):
    pytest.importorskip("grandalf")
    root = ElementTree.fromstring(example.svg())
    text = "".join(root.itertext())
    assert all(node.name in text for node in example.nodes)
    assert example._repr_svg_() == example.svg()
    boxes = [element for element in root.iter() if element.tag.endswith("rect")]
    assert len(boxes) == 5
    heights = [float(box.get("y")) for box in boxes]
    assert heights[2] < heights[3] < heights[4]


def test_without_the_layout_dot_still_works(example, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setitem(sys.modules, "grandalf.graphs", None)
    with pytest.raises(ImportError, match=r"pip install .pullback\[graph\]"):
        example.svg()
    assert example._repr_svg_() is None
    assert "digraph" in example.dot


def test_several_a_leaf_and_a_long_chain(engine):
    x = pb.tensor(1.0, requires_grad=True)
    assert [node.name for node in pb.graph(x).nodes] == ["leaf"]
    assert [node.name for node in pb.graph([x * 2, np.exp(x)]).nodes] == ["leaf", "multiply", "exp"]
    y = x
    for _ in range(5000):
        y = y * 1.0
    assert len(pb.graph(y).nodes) == 5001


def test_after_a_backward_what_was_saved_is_gone(engine):
    x = pb.tensor(1.0, requires_grad=True)
    y = np.exp(x)
    y.backward()
    assert [node.name for node in pb.graph(y).nodes] == ["leaf", "exp"]


def test_what_has_no_graph(engine):
    with pytest.raises(pb.errors.NotDifferentiableError, match="doesn't require grad"):
        pb.graph(pb.tensor(1.0))
    with pytest.raises(TypeError, match="ndarray"):
        pb.graph(np.ones(2))
