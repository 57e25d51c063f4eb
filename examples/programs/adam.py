"""Adam, as the programs beside it use it: D. P. Kingma and J. Ba, "Adam" (2015)."""

import numpy as np


class Adam:
    """The moving averages of the gradients of parameters by name, and of their squares."""

    def __init__(self, params, rate):
        self.rate = rate
        self.steps = 0
        self.first = {name: np.zeros_like(value) for name, value in params.items()}
        self.second = {name: np.zeros_like(value) for name, value in params.items()}

    def step(self, params, gradients, share=1.0):
        """The parameters after a step of a share of the rate."""
        self.steps += 1
        moved = {}
        for name, gradient in gradients.items():
            self.first[name] = 0.9 * self.first[name] + 0.1 * gradient
            self.second[name] = 0.999 * self.second[name] + 0.001 * gradient**2
            root = np.sqrt(self.second[name] / (1 - 0.999**self.steps)) + 1e-8
            change = self.first[name] / (1 - 0.9**self.steps) / root
            moved[name] = params[name] - share * self.rate * change
        return moved
