"""Indexing: rows picked by positions that are data."""

import numpy as np

import pullback as pb
from pullback import primitives


@pb.formula
def embedding(table, tokens, scale):
    """The row of each token, scaled; a row takes the gradients of all places that it was put to."""
    rows = table[tokens]
    r = rows * scale

    def embedding_pullback(grad):
        return primitives.unslice(grad * scale, index=tokens, shape=table.shape), None, np.sum(grad * rows)

    return r, embedding_pullback
