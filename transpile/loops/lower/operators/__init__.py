"""Operators into a plan, a family per file."""
