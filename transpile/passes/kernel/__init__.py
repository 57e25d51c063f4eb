"""Passes that prepare a formula for kernels, from IR to IR, one per file."""
