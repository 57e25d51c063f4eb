"""Facts about formulas, one analysis per file."""
