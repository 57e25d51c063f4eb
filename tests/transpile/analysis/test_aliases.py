"""Views and their bases."""

from pullback.transpile.analysis.aliases import bases

from ..frontend.reading import formula


def test_a_view_of_a_view_has_the_first_base():
    read = formula(
        "@pb.formula\ndef f(x):\n    t = x.T[1:].reshape(-1)\n"
        "    u = np.exp(t).T\n    return u, lambda g: g\n"
    )
    found = {view.name: base.name for view, base in bases(read.forward.eqns).items()}
    assert found["t"] == "x"
    assert found["u"] not in ("x", "t")
