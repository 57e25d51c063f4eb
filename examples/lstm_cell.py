"""The pointwise part of an LSTM cell: two results from four gates and a state."""

import numpy as np

import pullback as pb


@pb.formula
def lstm_cell(input_gate, forget_gate, cell_gate, output_gate, c):
    """The new hidden state h and cell state c of an LSTM with forget gates.

    c' = sigmoid(f) c + sigmoid(i) tanh(g) and h = sigmoid(o) tanh(c'). The
    arguments are the gates before their activations; all have one shape.
    F. Gers, J. Schmidhuber and F. Cummins, "Learning to Forget: Continual
    Prediction with LSTM", Neural Computation 12 (2000).
    """
    i = pb.sigmoid(input_gate)
    f = pb.sigmoid(forget_gate)
    g = np.tanh(cell_gate)
    o = pb.sigmoid(output_gate)
    c_next = f * c + i * g
    u = np.tanh(c_next)
    h = o * u

    def lstm_cell_pullback(grad_h, grad_c):
        to_c = grad_c + grad_h * o * (1 - u * u)
        return (
            to_c * g * i * (1 - i),
            to_c * c * f * (1 - f),
            to_c * i * (1 - g * g),
            grad_h * u * o * (1 - o),
            to_c * f,
        )

    return (h, c_next), lstm_cell_pullback


@lstm_cell.sample_inputs
def _lstm_cell_inputs(rng):
    yield tuple(rng.standard_normal((5, 2, 3))), {}
