from .emitting import compiled

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


def test_sizes_of_what_the_closure_reads_are_not_saved():
    made = compiled(NORM, order=2)
    assert made.formula.plain == ()
    moved = [eqn for eqn in made.formula.pullback.eqns if eqn.op in ("like", "size")]
    assert {str(eqn.args[0]) for eqn in moved} <= {"x", "w", "s"} | {str(v) for v in made.formula.hidden}


def test_sizes_of_what_it_does_not_read_are_saved():
    text = "def f(x, y):\n    r = x + y\n    return r, lambda grad: (grad, grad)\n"
    assert [str(var) for var in compiled(text, order=1).formula.plain] == ["like_x", "like_y"]
