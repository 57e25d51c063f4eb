"""Passes on the statements of a kernel, one per file."""
