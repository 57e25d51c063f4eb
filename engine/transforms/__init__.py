"""Derivatives of functions: gradients, products with Jacobians, forward mode, checkpoints."""
