"""Selected codes, excluded files and silencing comments."""
