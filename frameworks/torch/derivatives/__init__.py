"""Imported derivatives on torch tensors: PyTorch's table, run in Python."""
