"""Calls to equations: operators, functions of NumPy and Python, formulas and helpers."""
