"""A pullback for a pattern of gradients, as a formula of its own, and transposed for forward mode."""
