from ...emitting import compiled, function

SIMPLE = "def simple(a, b):\n    t = a + b\n    return t * b, lambda grad: (grad * b, grad * t + grad * b)\n"


def names(kernels):
    return [kernel.name for kernel in kernels]


def test_a_kernel_for_each_order():
    assert names(compiled(SIMPLE, order=0).kernels()) == ["simple_forward"]
    assert names(compiled(SIMPLE, order=1).kernels()) == [
        "simple_forward",
        "simple_backward_general",
        "simple_backward",
    ]
    assert len(compiled(SIMPLE, order=3).kernels()) == 7


def test_the_backward_takes_what_it_reads_and_the_gradients():
    made = compiled(SIMPLE, order=1)
    assert [(entry.var.name, entry.role) for entry in made.derivative.forward.inputs] == [
        ("a", "tensor"),
        ("b", "tensor"),
        ("grad", "tensor"),
    ]
    assert [entry.var.name for entry in made.general.inputs if entry.optional] == ["grad"]


def test_attributes_are_known_but_those_of_type_float():
    text = function("r = np.sum(x, axis=axis) * factor", params="x, *, axis: int = 0, factor: float = 2.0")
    made = compiled(text, attributes={"axis": 1, "factor": 3.0})
    assert [(entry.var.name, entry.role) for entry in made.forward.inputs] == [
        ("x", "tensor"),
        ("factor", "float"),
    ]


def test_a_mask_is_boolean():
    made = compiled(function("r = np.where(m, x, 0)", params="m, x"))
    assert [entry.code for entry in made.forward.inputs] == ["b", "T"]


def test_what_limits_the_order_is_told():
    text = function("r = x * x").replace(
        "lambda grad: (None)", "lambda grad: np.astype(grad * x, np.float16) + grad"
    )
    made = compiled(text, order=2)
    assert made.derivative is None
    assert [found.code for found in made.limits] == ["PB501"]
    assert made.limits[0].span.line == 8


def test_results_without_a_gradient_have_no_backward():
    made = compiled("def whole(x, y):\n    return x // y, lambda grad: (0 * grad, 0 * grad)\n", order=2)
    assert "whole_backward" in names(made.kernels())
    text = "def whole(x, y):\n    return x // y, lambda grad: (None, None)\n"
    assert names(compiled(text, order=2).kernels()) == ["whole_forward"]
