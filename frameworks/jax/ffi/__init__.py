"""Compiled kernels under JAX: one handler of XLA's foreign function interface for all of them."""
