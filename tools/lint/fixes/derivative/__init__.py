"""Derivatives of PyTorch statements, derived by the passes of formulas."""
