"""An affine map of a list of rows, with an optional bias."""

import numpy as np

import pullback as pb


@pb.formula
def affine(rows: list[pb.Tensor], w, b: pb.Tensor | None = None, *, scale: float = 1.0):
    x = np.stack(rows)
    t = np.tanh(x @ w)

    def affine_pullback(grad):
        d = grad * scale * (1 - t * t)
        u = d @ w.T
        return [u[k] for k in range(len(rows))], x.T @ d, (None if b is None else np.sum(grad, axis=0))

    return (t * scale if b is None else t * scale + b), affine_pullback
