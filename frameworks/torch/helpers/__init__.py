"""NumPy's functions that PyTorch has no equal of, in PyTorch; emitted modules hold copies of those they call.

Each computes what the function of its name computes by NumPy's rules, from differentiable operations, so
that derivatives of every order go through it.
"""
