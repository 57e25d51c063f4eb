"""`pullback explain`: what a closure captures, what becomes of each value, and why."""
