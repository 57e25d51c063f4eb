"""Views and in-place writes."""
