"""Statements to equations: assignments, conditions, loops, errors."""
