"""Operators, dispatch between engines, gradient modes, hooks and errors: what everything else stands on."""
