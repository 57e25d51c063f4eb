"""Functions that the transformation puts into closures, on arrays and on tensors, a family per file."""
