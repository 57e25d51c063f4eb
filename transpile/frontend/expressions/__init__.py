"""Expressions to equations, calls aside."""
