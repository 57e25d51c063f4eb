"""Kernels from formulas: which there are, what each takes, and what a backward reads of its forward."""
