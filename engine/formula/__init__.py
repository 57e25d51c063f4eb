"""An author's function as an operator: its text, its decorators, and operators of other libraries."""
