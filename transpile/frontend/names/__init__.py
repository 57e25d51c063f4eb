"""The names around a formula, its decorators and its signature."""
