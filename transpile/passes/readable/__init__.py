"""The names and the form that a person would have given to derived text."""
