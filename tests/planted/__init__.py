"""Mistakes planted in the library's formulas, and how many of them are found."""
