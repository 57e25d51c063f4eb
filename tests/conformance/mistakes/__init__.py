"""Mistakes that a person can make, a function each; `test_error_texts` runs them on both engines."""

import pullback as pb

MISTAKES = []


def mistake(function):
    """Run this function on both engines."""
    MISTAKES.append(function)
    return function


def leaf(name=None):
    """A tensor that requires grad."""
    return pb.tensor([1.0, 2.0, 3.0], requires_grad=True, name=name)


def made_in_inference_mode():
    """A tensor that no graph may save."""
    with pb.inference_mode():
        return pb.tensor([1.0, 2.0, 3.0])
