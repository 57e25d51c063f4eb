"""Cells of recurrent networks: one step in time, under the names of torch's functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import numpy as pnp
from .arguments import expect_shape, floats
from .linear import linear


def lstm_cell(
    input: Any, hx: tuple[Any, Any], w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None
) -> tuple[Any, Any]:
    """A step of long short-term memory, as `torch.lstm_cell`: the new hidden state and the new cell.

    input (N, I) or (I); hx a pair of states (N, H) or (H); w_ih (4 H, I), w_hh (4 H, H), biases (4 H): of the
    input, forget, cell and output gate. F. A. Gers and others, "Learning to Forget" (2000). ValueError for
    other shapes.

    >>> import numpy as np
    >>> h, c = lstm_cell(np.ones(2), (np.zeros(1), np.ones(1)), np.zeros((4, 2)), np.zeros((4, 1)))
    >>> c.tolist()
    [0.5]
    """
    h, c = hx
    gates, _ = _gates(input, h, w_ih, w_hh, b_ih, b_hh, 4, "lstm_cell")
    c = expect_shape(floats(c, "lstm_cell"), _state(h), "lstm_cell: the cell for this hidden state")
    i, f, g, o = pnp.split(gates[0] + gates[1], 4, -1)
    c = pnp.sigmoid(f) * c + pnp.sigmoid(i) * pnp.tanh(g)
    return pnp.sigmoid(o) * pnp.tanh(c), c


def gru_cell(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    """A step of a gated recurrent unit, as `torch.gru_cell`: the new hidden state.

    input (N, I) or (I), hx (N, H) or (H); w_ih (3 H, I), w_hh (3 H, H), biases (3 H): of the reset, update
    and new gate. K. Cho and others (2014). ValueError for other shapes.

    >>> import numpy as np
    >>> gru_cell(np.ones(2), np.ones(1), np.zeros((3, 2)), np.zeros((3, 1))).tolist()
    [0.5]
    """
    (of_input, of_state), h = _gates(input, hx, w_ih, w_hh, b_ih, b_hh, 3, "gru_cell")
    reset, update, new = pnp.split(of_input, 3, -1)
    reset_h, update_h, new_h = pnp.split(of_state, 3, -1)
    z = pnp.sigmoid(update + update_h)
    return (1 - z) * pnp.tanh(new + pnp.sigmoid(reset + reset_h) * new_h) + z * h


def rnn_tanh_cell(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    """tanh(w_ih x + b_ih + w_hh h + b_hh), as `torch.rnn_tanh_cell`.

    input (N, I) or (I), hx (N, H) or (H); w_ih (H, I), w_hh (H, H), biases (H). ValueError for other shapes.

    >>> import numpy as np
    >>> rnn_tanh_cell(np.ones(2), np.ones(1), np.zeros((1, 2)), np.zeros((1, 1))).tolist()
    [0.0]
    """
    return _simple(pnp.tanh, input, hx, w_ih, w_hh, b_ih, b_hh, "rnn_tanh_cell")


def rnn_relu_cell(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    """The same with `relu` for tanh, as `torch.rnn_relu_cell`.

    >>> import numpy as np
    >>> rnn_relu_cell(np.ones(2), np.ones(1), np.ones((1, 2)), np.zeros((1, 1))).tolist()
    [2.0]
    """
    return _simple(pnp.relu, input, hx, w_ih, w_hh, b_ih, b_hh, "rnn_relu_cell")


def _simple(
    function: Callable[[Any], Any], input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any, name: str
) -> Any:
    (of_input, of_state), _ = _gates(input, hx, w_ih, w_hh, b_ih, b_hh, 1, name)
    return function(of_input + of_state)


def _state(h: Any) -> tuple[int, ...]:
    return tuple(floats(h, "a cell").shape)


def _gates(
    input: Any, h: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any, count: int, name: str
) -> tuple[tuple[Any, Any], Any]:
    """The sums of a number of gates, from the input and from the state; and the state."""
    x, h, w_ih, w_hh = (floats(value, name) for value in (input, h, w_ih, w_hh))
    if x.ndim not in (1, 2) or h.ndim != x.ndim or h.shape[:-1] != x.shape[:-1]:
        raise ValueError(f"{name} takes (N, I) with (N, H), or (I) with (H): not {x.shape} with {h.shape}")
    hidden = h.shape[-1]
    expect_shape(w_ih, (count * hidden, x.shape[-1]), f"{name}: w_ih")
    expect_shape(w_hh, (count * hidden, hidden), f"{name}: w_hh")
    return (linear(x, w_ih, b_ih), linear(h, w_hh, b_hh)), h
