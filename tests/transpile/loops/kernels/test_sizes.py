from ...emitting import compiled

NORM = """
def f(x, w):
    c = x - np.mean(x, axis=-1, keepdims=True)
    s = 1 / np.sqrt(np.mean(c * c, axis=-1, keepdims=True) + 1e-5)
    y = c * s * w
    def f_pullback(grad):
        g = grad * w
        return s * (g - np.mean(g, axis=-1, keepdims=True)), grad * c * s
    return y, f_pullback
"""


def test_no_size_is_saved_that_the_closure_can_work_out():
    made = compiled(NORM, order=1)
    assert [str(var) for var in made.formula.plain] == ["like_x", "like_w"]
    assert {eqn.op for eqn in made.formula.pullback.eqns} >= {"size", "like"}


def test_no_array_is_kept_for_its_size_alone():
    text = """
def f(x, y):
    r = x * y
    return r, lambda grad: (grad * y, grad * x)
"""
    made = compiled(text, order=1)
    assert [str(var) for var in made.formula.plain] == ["like_x", "like_y"]
    assert not [eqn for eqn in made.formula.pullback.eqns if eqn.op == "like"]


def test_a_saved_shape_is_that_of_an_input_where_one_has_it():
    text = """
def f(x, w):
    t = np.exp(x)
    r = np.sum(t * w, axis=-1)
    return r, lambda grad: (np.expand_dims(grad, -1) * np.exp(x) * w, np.expand_dims(grad, -1) * t)
"""
    made = compiled(text, order=1)
    shapes = {str(eqn.outs[0]): str(eqn.args[0]) for eqn in made.formula.forward.eqns if eqn.op == "like"}
    assert all(shapes[str(var)] in ("x", "w") for var in made.formula.plain)


def test_no_intermediate_value_of_a_backward_is_computed_for_its_size():
    made = compiled(NORM, order=2).derivative
    tensors = {param.var for param in made.formula.params}
    asked = [eqn for eqn in made.formula.forward.eqns if eqn.outs[0] in made.formula.plain]
    assert asked
    assert all(atom in tensors for eqn in asked for atom in eqn.args)
