"""The loop of a pointwise kernel alone."""

import pytest

from ...emitting import cpp, function


def flat(text, **options):
    """What stands in `flat` of the forward."""
    found = cpp(text, **options)
    _, mark, body = found.partition("static void flat(")
    assert mark, "there is one"
    return body.partition("\n    }\n")[0]


def test_it_has_a_pointer_per_array_and_one_loop():
    body = flat(function("t = x + y", "r = t * y", params="x, y"))
    assert "const T* x = static_cast<const T*>(inputs[0]);" in body
    assert "T* r_row = static_cast<T*>(outputs[0]);" in body
    assert body.count("for (") == 1


def test_it_is_exported():
    assert "PB_EXPORT int f_forward_flat(" in cpp(function("r = np.exp(x)"))


@pytest.mark.parametrize(
    "body",
    ["r = np.sum(x)", "r = x.T", "r = x - np.max(x, axis=-1, keepdims=True)", "r = x[1:]", "r = x > 0"],
)
def test_kernels_that_are_more_than_a_loop_over_floats_have_none(body):
    assert "flat" not in cpp(function(body))


def test_attributes_are_not_taken():
    assert "flat" not in cpp(function("r = x * scale", params="x, *, scale: float"))
